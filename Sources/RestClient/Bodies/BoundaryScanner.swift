// SPDX-License-Identifier: MIT

import RestEssentials

/// Searches for the boundary of a multipart body in bytes that arrive in chunks: a pure value.
///
/// In-memory parts are scanned before anything is sent, files while they are sent.
struct BoundaryScanner: Sendable {
    private let pattern: BytePattern
    /// The last bytes, which may be the beginning of the boundary.
    private var tail = Data()

    private(set) var hasFound = false

    init(_ boundary: MultipartBoundary) {
        pattern = BytePattern(Array("--\(boundary.text)".utf8))
    }

    mutating func scan(_ bytes: Data) {
        guard !hasFound, !bytes.isEmpty else {
            return
        }
        let reach = pattern.bytes.count - 1
        hasFound = occurs(in: tail + bytes.prefix(reach)) || occurs(in: bytes)
        tail = bytes.count >= reach ? Data(bytes.suffix(reach)) : Data((tail + bytes).suffix(reach))
    }

    mutating func reset() {
        tail = Data()
        hasFound = false
    }

    private func occurs(in bytes: Data) -> Bool { pattern.firstIndex(in: bytes.span) != nil }
}
