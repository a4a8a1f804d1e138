// SPDX-License-Identifier: MIT

/// Searches bytes for a sequence (Horspool, 1980); for most contents it reads only one byte per length of the sequence.
struct BytePattern: Sendable {
    /// The sequence, which is not empty.
    let bytes: [UInt8]
    /// For each byte, the distance by which the search may advance if that byte is at the end of the window.
    private let steps: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var steps = Array(repeating: bytes.count, count: 256)
        for (index, byte) in bytes.dropLast().enumerated() {
            steps[Int(byte)] = bytes.count - 1 - index
        }
        self.steps = steps
    }

    func firstIndex(in content: Span<UInt8>, from start: Int = 0) -> Int? {
        var start = start
        while start + bytes.count <= content.count {
            if matches(content, at: start) {
                return start
            }
            start += steps[Int(content[start + bytes.count - 1])]
        }
        return nil
    }

    private func matches(_ content: Span<UInt8>, at start: Int) -> Bool {
        for index in bytes.indices.reversed() where content[start + index] != bytes[index] {
            return false
        }
        return true
    }
}
