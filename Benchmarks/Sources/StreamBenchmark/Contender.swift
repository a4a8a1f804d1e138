// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import BenchmarkSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import RestClient

/// One way to move the same bytes.
struct Contender: Sendable {
    let name: String
    /// True if it is a process of its own, so that its memory is not this one's.
    var isProcess = false
    /// Moves so many bytes.
    let transfer: @Sendable (_ count: Int) async throws -> Void
}

/// The contenders of each direction; the first one is what the others are compared with.
struct Contenders: Sendable {
    static let chunk = Data(repeating: 7, count: 128 << 10)

    let directions: [(name: String, contenders: [Contender])]
    private let client: HTTPClient

    /// Creates the contenders for a server, with files in a folder.
    init(address: String, folder: URL) throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroup: loops, configuration: configuration)
        self.client = client
        let direct = Self.manager(DirectTransport(), to: address)
        let (file, source) = (folder.appendingPathComponent("loaded"), folder.appendingPathComponent("source"))
        let curl = Curl()
        directions = [
            (
                "down",
                [
                    Contender(name: "HTTPClient.execute") { count in
                        let request = HTTPClientRequest(url: "\(address)/fill/\(count)")
                        var sum = 0
                        for try await part in try await client.execute(request, timeout: .hours(1)).body {
                            sum += part.readableBytes
                        }
                        precondition(sum == count)
                    },
                    Contender(name: "RestClient") { try await Self.read($0, over: direct) },
                ] + curl.contenders { ["--output", "/dev/null", "\(address)/fill/\($0)"] }
            ),
            (
                "to a file",
                [
                    Contender(name: "HTTPClient.execute + write") { count in
                        let request = HTTPClientRequest(url: "\(address)/fill/\(count)")
                        try Data().write(to: file)
                        let handle = try FileHandle(forWritingTo: file)
                        defer { try? handle.close() }
                        for try await part in try await client.execute(request, timeout: .hours(1)).body {
                            try handle.write(contentsOf: Data(part.readableBytesView))
                        }
                    },
                    Contender(name: "RestClient") { try await Self.load($0, to: file, over: direct) },
                ] + curl.contenders { ["--output", file.path, "\(address)/fill/\($0)"] }
            ),
            (
                "up",
                [
                    Contender(name: "HTTPClient.execute") { count in
                        var request = HTTPClientRequest(url: "\(address)/up")
                        request.method = .PUT
                        request.body = .stream(Buffers(source: ChunkSource(count)), length: .known(Int64(count)))
                        _ = try await client.execute(request, timeout: .hours(1)).body.collect(upTo: 1 << 20)
                    },
                    Contender(name: "RestClient") { try await Self.send($0, over: direct) },
                ] + curl.uploads(to: "\(address)/up")
            ),
            (
                "up from a file",
                curl.contenders { count in
                    try Self.resize(source, to: count)
                    return ["--upload-file", source.path, "\(address)/up"]
                } + [Contender(name: "RestClient") { try await Self.send($0, from: source, over: direct) }]
            ),
        ]
    }

    func shutdown() async throws {
        try await client.shutdown()
    }

    private static func manager(_ transport: any Transport, to address: String) -> RestClientManager {
        var configuration = RestClientManager.Configuration()
        configuration.transport = transport
        let manager = RestClientManager(configuration: configuration)
        manager.servers["bench"] = Server(address).timeout(.seconds(3_600))
        manager.defaultServer = "bench"
        return manager
    }

    /// Chunks with so many bytes in all.
    static func chunks(_ count: Int) -> AsyncThrowingStream<Data, any Error> {
        let source = ChunkSource(count)
        return AsyncThrowingStream { source.next() }
    }

    private static func read(_ count: Int, over manager: RestClientManager) async throws {
        var sum = 0
        let response = try await manager.request(Data.self).endpoint("/fill/\(count)").stream()
        for try await part in response.bytes {
            sum += part.count
        }
        precondition(sum == count)
    }

    private static func load(_ count: Int, to file: URL, over manager: RestClientManager) async throws {
        let loaded = try await manager.request(Data.self).endpoint("/fill/\(count)").download(to: file.path)
        precondition(loaded.length == Int64(count))
    }

    private static func send(_ count: Int, over manager: RestClientManager) async throws {
        let body = RequestBody.stream(length: Int64(count)) { chunks(count) }
        _ = try await manager.request(Data.self).endpoint("/up").put().body(body).send()
    }

    private static func resize(_ file: URL, to count: Int) throws {
        if try file.resourceValues(forKeys: [.fileSizeKey]).fileSize != count {
            try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(count))
        }
    }

    private static func send(_ count: Int, from file: URL, over manager: RestClientManager) async throws {
        try resize(file, to: count)
        _ = try await manager.request(Data.self).endpoint("/up").put().body(.file(file.path)).send()
    }
}
