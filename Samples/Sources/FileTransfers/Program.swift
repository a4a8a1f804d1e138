// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import RestClientTesting

/// Runs the four transfers, one after the other, and prints a line or more about each.
enum Program {
    /// Runs everything in a temporary folder, which is removed at the end.
    static func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "FileTransfers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await LoopbackServer.with { server in
            FileServer.serve(on: server)
            let manager = RestClientManager()
            manager.servers["files"] = Server(server.url)
            manager.defaultServer = "files"
            try await upload(with: manager, from: folder)
            try await download(with: manager, to: folder)
            try await export(with: manager, to: folder)
            try await follow(server, with: manager)
        }
    }

    private static func upload(with manager: RestClientManager, from folder: URL) async throws {
        let file = folder.appending(path: "photos.tar")
        try FileServer.content.write(to: file)
        // The line is written to standard error, and only if that is a terminal.
        let line = ProgressLine(file.lastPathComponent)
        defer { line.finish() }
        let receipt = try await Upload(manager: manager).send(file, progress: line.show)
        print("upload:    the server received \(receipt.size) bytes, SHA-256 \(receipt.sha256.prefix(16))…")
    }

    private static func download(with manager: RestClientManager, to folder: URL) async throws {
        let download = ResumableDownload(manager: manager, file: folder.appending(path: "backup.tar"))
        do {
            try await download.run()
        } catch let error as RestClientError {
            print("download:  interrupted (\(error.code))")
        }
        let resumed = try await download.run()
        let again = max(0, FileServer.cut - resumed.start)
        print("download:  resumed at byte \(resumed.start) of \(resumed.length); \(again) bytes were fetched again")
    }

    private static func export(with manager: RestClientManager, to folder: URL) async throws {
        let file = folder.appending(path: "items.jsonl")
        let count = try await JSONLinesExport(manager: manager).write(to: file)
        let lines = try Data(contentsOf: file, options: .mappedIfSafe).count(where: { $0 == UInt8(ascii: "\n") })
        print("export:    \(count) items, \(lines) lines")
    }

    private static func follow(_ server: LoopbackServer, with manager: RestClientManager) async throws {
        try await LiveFeed(manager: manager)
            .follow(until: 6) { event in
                print("feed:      event \(event.lastEventID): \(event.data)")
                if event.lastEventID == "3" {
                    print("feed:      the server closes the connection")
                    try await server.closeConnections()
                }
            }
    }
}
