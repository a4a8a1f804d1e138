// SPDX-License-Identifier: MIT

import Crypto
import Foundation
import RestClient

/// Downloads a file.
///
/// After an interruption, the next run resumes where the previous one stopped.
struct ResumableDownload: Sendable {
    /// The outcome of a run that has completed the file.
    struct Result: Equatable, Sendable {
        /// The first byte that the run has requested.
        let start: Int
        /// The number of bytes in the file.
        let length: Int64
    }

    let manager: RestClientManager
    let file: URL

    /// Downloads what is missing, and checks the digest of the whole file.
    @discardableResult
    func run() async throws -> Result {
        let digest = Data(SHA256.hash(data: FileServer.content))
        let line = ProgressLine(file.lastPathComponent)
        defer { line.finish() }
        let loaded = try await manager.request().get().endpoint("/files/{name}")
            .parameter("name", file.lastPathComponent)
            .download(to: file.path, sha256: digest, progress: line.show)
        // "bytes 1200000-2999999/3000000"
        let first = loaded.headers[.contentRange]?.dropFirst("bytes ".count).prefix { $0 != "-" }
        return Result(start: first.flatMap { Int($0) } ?? 0, length: loaded.length)
    }
}
