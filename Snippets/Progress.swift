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

// One upload as a sequence: its progress, and the response as the last element.
func follow(_ path: String) async throws {
    for try await step in manager.request(.photo).put().body(.file(path)).steps() {
        switch step {
        case .progress(let progress): print(progress.direction, progress.transfer.fraction ?? 0)
        case .response(let response): print("stored at", response.model.url)
        }
    }
}

// The progress of all uploads as events, for the observers of the manager.
func announce() -> ObservationToken {
    manager.apis[.photo] = API(.put, "/photo").progressEvents()
    return manager.observe(.names(.progressed)) { event in
        print(event.request?.url ?? "", event.description)
    }
}
