// SPDX-License-Identifier: MIT

import RestEssentials

/// Takes the byte order mark off the beginning of a text in UTF-8 that comes in chunks.
struct ByteOrderMark: Sendable {
    private static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The bytes that may yet become the mark; `nil` once that is decided.
    private var held: Data? = Data()

    /// Returns a chunk without the mark; at the beginning perhaps nothing, until the mark is complete or is none.
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

    /// Returns the bytes that did not become a mark by the end of the text; `nil` if there are none.
    mutating func finish() -> Data? {
        defer { held = nil }
        return held.flatMap { $0.isEmpty ? nil : $0 }
    }
}
