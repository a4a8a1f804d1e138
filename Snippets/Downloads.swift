// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

extension APIAlias where Model == Void { static var backup: Self { "backup" } }

let manager = RestClientManager()
// snippet.show
func fetchBackup() async throws {
    let line = ProgressLine("today.tar")
    defer { line.finish() }
    try await manager.request(.backup)
        .retry(.standard)
        .download(to: "/backups/today.tar", progress: line.show)
}
