// SPDX-License-Identifier: MIT

import RestEssentials

/// Searches for the boundary of a multipart body in bytes that arrive in chunks: a pure value (Horspool, 1980).
///
/// In-memory parts are scanned before anything is sent, files while they are sent. For most contents it reads only one
/// byte per length of the boundary.
struct BoundaryScanner: Sendable {
    private let pattern: [UInt8]
    /// For each byte, the distance by which the search may advance if that byte is at the end of the window.
    private let steps: [Int]
    /// The last bytes, which may be the beginning of the boundary.
    private var tail = Data()

    /// A Boolean value that is true once the boundary was found.
    private(set) var hasFound = false

    /// Creates a scanner.
    init(_ boundary: MultipartBoundary) {
        pattern = Array("--\(boundary.text)".utf8)
        var steps = Array(repeating: pattern.count, count: 256)
        for (index, byte) in pattern.dropLast().enumerated() {
            steps[Int(byte)] = pattern.count - 1 - index
        }
        self.steps = steps
    }

    /// Scans the next bytes of a part.
    mutating func scan(_ bytes: Data) {
        guard !hasFound, !bytes.isEmpty else {
            return
        }
        let reach = pattern.count - 1
        hasFound = occurs(in: tail + bytes.prefix(reach)) || occurs(in: bytes)
        tail = bytes.count >= reach ? Data(bytes.suffix(reach)) : Data((tail + bytes).suffix(reach))
    }

    /// Starts over for another part.
    mutating func reset() {
        tail = Data()
        hasFound = false
    }

    private func occurs(in bytes: Data) -> Bool {
        let span = bytes.span
        var start = 0
        while start + pattern.count <= span.count {
            if matches(span, at: start) {
                return true
            }
            start += steps[Int(span[start + pattern.count - 1])]
        }
        return false
    }

    private func matches(_ span: Span<UInt8>, at start: Int) -> Bool {
        for index in pattern.indices.reversed() where span[start + index] != pattern[index] {
            return false
        }
        return true
    }
}
