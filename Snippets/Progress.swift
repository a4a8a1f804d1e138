// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Photo: Codable, Sendable { var url: String }

extension APIAlias where Model == Photo { static var photo: Self { "photo" } }

let manager = RestClientManager()
// snippet.show
// One upload, with a line in the terminal.
func upload(_ path: String) async throws -> Photo {
    let line = ProgressLine(path)
    defer { line.finish() }
    return try await manager.request(.photo).put().upload(from: path, progress: line.show)
}

// Many uploads, with one line for their sum.
func upload(_ paths: [String]) async -> GroupReport<Photo> {
    let line = ProgressLine("\(paths.count) photos")
    defer { line.finish() }
    return await manager.withProgress(of: .sent, line.show) {
        await manager.concurrently(paths.map { manager.request(.photo).method(.put).body(.file($0)) })
    }
}
