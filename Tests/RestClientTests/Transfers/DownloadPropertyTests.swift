// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

/// Downloads from any server, with any interruption.
@Suite
struct DownloadPropertyTests {
    private struct Cut: Error {}

    private typealias Machine = DownloadStateMachine

    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func wide(_ connections: Int, _ minimum: Int64 = 10) -> DownloadPolicy {
        var policy = DownloadPolicy()
        policy.connections = connections
        policy.minimumRange = minimum
        return policy
    }

    @Test(arguments: [1, 2, 4])
    func `the file is that of one version of the server's, whatever happens in between`(connections: Int) throws {
        var generator = SeededGenerator(seed: 14)
        var finished = 0
        for _ in 0..<400 {
            var server = FileServer(content: Self.content(1, Int.random(in: 0...60, using: &generator)))
            server.validator = FileServer.Validator.allCases[Int.random(in: 0..<4, using: &generator)]
            server.knowsRanges = Int.random(in: 0..<5, using: &generator) > 0
            server.knowsLength = Int.random(in: 0..<4, using: &generator) > 0
            server.rangeLimit = Bool.random(using: &generator) ? .max : Int.random(in: 1...20, using: &generator)
            // One that takes no notice of If-Range is found out by its tag, or by the length; not by a date alone.
            server.knowsIfRange = server.validator != .strongTag || Int.random(in: 0..<3, using: &generator) > 0
            var disk = Disk()
            var machine = Machine(wide(connections, Int64.random(in: 1...12, using: &generator)))
            var open: [(id: Int, head: FileServer.Response?, body: ArraySlice<UInt8>)] = []
            var unsent = machine.start()
            var result: Bool?
            var versions = [server.version: server.content]
            for _ in 0..<20_000 where result == nil {
                if !unsent.isEmpty {
                    switch unsent.removeFirst() {
                    case .send(let request):
                        if server.version < 4, Int.random(in: 0..<25, using: &generator) == 0 {
                            server.version += 1
                            let count =
                                Bool.random(using: &generator)
                                ? server.content.count : Int.random(in: 0...60, using: &generator)
                            server.content = Self.content(server.version, count)
                            versions[server.version] = server.content
                        }
                        let response = server.response(to: request)
                        open.append((request.id, response, response.body[...]))
                    case .cancel(let id): open.removeAll { $0.id == id }
                    case .truncate: disk.bytes = []
                    case .finish(let length, _):
                        #expect(disk.bytes.count == Int(length))
                        result = true
                    case .fail: result = false
                    case .pause:
                        #expect(open.isEmpty)
                        if Bool.random(using: &generator) {
                            // Another process goes on.
                            let kept = try JSONEncoder().encode(machine.state)
                            let read = try JSONDecoder().decode(DownloadState.self, from: kept)
                            let length =
                                Int.random(in: 0..<4, using: &generator) == 0 ? disk.bytes.count / 2 : disk.bytes.count
                            disk.bytes = Array(disk.bytes.prefix(length))
                            machine = Machine(wide(connections), state: read.limited(to: Int64(length), of: ""))
                        }
                        unsent += machine.start()
                    }
                    continue
                }
                let index = try #require(open.indices.randomElement(using: &generator), "the download hangs")
                if Int.random(in: 0..<30, using: &generator) == 0 {
                    unsent += machine.ended(open.remove(at: index).id, Cut())
                } else if let head = open[index].head {
                    open[index].head = nil
                    unsent += machine.responded(head.status, head.headers, to: open[index].id, now: now)
                } else if open[index].body.isEmpty {
                    unsent += machine.ended(open.remove(at: index).id)
                } else {
                    let bytes = open[index].body.prefix(Int.random(in: 1...9, using: &generator))
                    open[index].body = open[index].body.dropFirst(bytes.count)
                    switch machine.received(bytes.count, from: open[index].id) {
                    case .write(let position): disk.write(Array(bytes), at: Int(position))
                    case .drop(let actions): unsent += actions
                    }
                }
            }
            let isFinished = try #require(result as Bool?, "the download does not end")
            if isFinished {
                #expect(versions.values.contains(disk.bytes))
                finished += 1
            }
        }
        #expect(finished > 350)
    }

    private static func content(_ version: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: version * 64 + $0) }
    }

    private struct Disk {
        var bytes: [UInt8] = []

        mutating func write(_ new: [UInt8], at position: Int) {
            if bytes.count < position + new.count {
                bytes += Array(repeating: 0, count: position + new.count - bytes.count)
            }
            bytes.replaceSubrange(position..<position + new.count, with: new)
        }
    }
}
