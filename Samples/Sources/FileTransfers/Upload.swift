// SPDX-License-Identifier: MIT

import Foundation
import RestClient

/// Uploads a file, and reports how far it has come.
struct Upload: Sendable {
    /// The server's response: what it has received.
    struct Receipt: Codable, Equatable, Sendable {
        let size: Int
        let sha256: String
    }

    let manager: RestClientManager

    /// Sends the file, which is read piece by piece.
    func send(_ file: URL, progress: @escaping @Sendable (TransferProgress) -> Void) async throws -> Receipt {
        try await manager.request(Receipt.self).put().endpoint("/files/{name}")
            .parameter("name", file.lastPathComponent)
            .upload(from: file.path, progress: progress)
    }
}
