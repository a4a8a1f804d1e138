// SPDX-License-Identifier: MIT

import RestEssentials

/// Removes the byte order mark from the beginning of a UTF-8 text that arrives in chunks.
struct ByteOrderMark: Sendable {
    private static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The bytes that may still become the mark; `nil` once that is decided.
    private var held: Data? = Data()

    /// Returns a chunk without the mark; at the beginning possibly nothing, until the mark is complete or excluded.
    mutating func removed(from chunk: Data) -> Data {
        guard let held else {
            return chunk
        }
        let start = held.isEmpty ? chunk : held + chunk
        if start.starts(with: Self.bytes) {
            self.held = nil
            return start.dropFirst(Self.bytes.count)
        }
        if Self.bytes.starts(with: start) {
            self.held = start
            return Data()
        }
        self.held = nil
        return start
    }

    /// Returns the bytes that turned out not to be a mark at the end of the text; `nil` if there are none.
    mutating func finish() -> Data? {
        defer { held = nil }
        return held.flatMap { $0.isEmpty ? nil : $0 }
    }
}
