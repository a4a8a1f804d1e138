// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import RestClientTesting
import Testing

@testable import FileTransfers

@Suite(.timeLimit(.minutes(5)))
final class FileTransfersTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "FileTransfers-\(UUID().uuidString)")
    private let manager = RestClientManager()

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the server, and makes it the default one of the manager.
    private func connect() async throws -> LoopbackServer {
        let server = try await LoopbackServer.start()
        FileServer.serve(on: server)
        manager.servers["files"] = Server(server.url)
        manager.defaultServer = "files"
        return server
    }

    @Test
    func `an upload reports its progress, and the server receives every byte`() async throws {
        let server = try await connect()
        let file = folder.appending(path: "photos.tar")
        try FileServer.content.write(to: file)
        let progress = Recorder<TransferProgress>()

        let receipt = try await Upload(manager: manager).send(file) { progress.record($0) }

        #expect(receipt.size == FileServer.content.count)
        #expect(receipt.sha256.count == 64)
        let isWhole = server.requests.first?.body == [UInt8](FileServer.content)
        #expect(isWhole)
        let sent = progress.elements.map(\.completed)
        #expect(sent == sent.sorted())
        #expect(sent.last == Int64(FileServer.content.count))
        await server.stop()
    }

    @Test
    func `a download that was interrupted resumes, and the file is whole`() async throws {
        let server = try await connect()
        let file = folder.appending(path: "backup.tar")
        let download = ResumableDownload(manager: manager, file: file)
        await #expect(throws: RestClientError.self) { try await download.run() }
        #expect(!FileManager.default.fileExists(atPath: file.path))

        let resumed = try await download.run()

        #expect((1...FileServer.cut).contains(resumed.start))
        #expect(resumed.length == Int64(FileServer.content.count))
        let isWhole = try Data(contentsOf: file) == FileServer.content
        #expect(isWhole)
        #expect(server.requests.map { $0.headers["Range"] != nil } == [false, true])
        await server.stop()
    }

    @Test
    func `an export has one line for each item, in the order of the listing`() async throws {
        let server = try await connect()
        let file = folder.appending(path: "items.jsonl")

        let count = try await JSONLinesExport(manager: manager).write(to: file)

        #expect(count == FileServer.itemCount)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let items = try lines.map { try JSONDecoder().decode(JSONLinesExport.Item.self, from: Data($0.utf8)) }
        #expect(items.map(\.id) == Array(1...FileServer.itemCount))
        #expect(server.requests.count == 11)
        await server.stop()
    }

    @Test
    func `a feed whose connection is closed resumes after its last event`() async throws {
        let server = try await connect()
        var events: [ServerSentEvent] = []

        try await LiveFeed(manager: manager)
            .follow(until: 6) { event in
                events.append(event)
                if event.lastEventID == "3" {
                    try await server.closeConnections()
                }
            }

        #expect(events.map(\.lastEventID) == ["1", "2", "3", "4", "5", "6"])
        #expect(events.map(\.data) == (101...106).map { "price \($0)" })
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "3"])
        await server.stop()
    }
}
