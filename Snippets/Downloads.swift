// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

extension APIAlias where Model == Void {
    static var backup: Self { "backup" }
    static var image: Self { "image" }
}

let manager = RestClientManager()
// snippet.show
func fetchBackup() async throws {
    let line = ProgressLine("today.tar")
    defer { line.finish() }
    try await manager.request(.backup)
        .retry(.standard)
        .download(to: "/backups/today.tar", progress: line.show)
}

// Four ranges at once, each of 16 MiB at least; begun again once if the file changes meanwhile.
func fetchImage() async throws {
    var policy = DownloadPolicy()
    policy.connections = 4
    policy.minimumRange = 16 << 20
    policy.restartLimit = 1
    try await manager.request(.image).retry(.standard).download(to: "/images/disk.img", policy)
}
