// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The bytes of a representation that a response contains: all of them, or those of a 206 (RFC 9110, section 15.3.7).
struct HeldBytes: Sendable, Equatable {
    let positions: Range<Int>
    let length: Int?

    var isWhole: Bool { positions.lowerBound == 0 && positions.upperBound == length }

    init(positions: Range<Int>, length: Int?) {
        self.positions = positions
        self.length = length
    }

    /// Creates the range of bytes that a response contains; `nil` for a part that is not understood, or that has more
    /// bytes than it declares.
    ///
    /// Of a 206 with fewer bytes than its end promises, only those count.
    init?(status: HTTPResponse.Status, headers: HTTPFields, count: Int) {
        guard status == .partialContent else {
            self.init(positions: 0..<count, length: count)
            return
        }
        let lines = headers[values: .contentRange]
        guard lines.count == 1, let (announced, length) = Self.contentRange(lines[0]), count <= announced.count else {
            return nil
        }
        self.init(positions: announced.lowerBound..<announced.lowerBound + count, length: length)
    }

    /// `bytes 0-4/10`, or `bytes 0-4/*`.
    private static func contentRange(_ text: String) -> (positions: Range<Int>, length: Int?)? {
        let words = FieldList.token(text).split(separator: " ")
        guard words.count == 2, words[0] == "bytes" else {
            return nil
        }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, case let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false),
            ends.count == 2, let first = ByteRange.position(ends[0]), let last = ByteRange.position(ends[1]),
            first <= last
        else {
            return nil
        }
        guard parts[1] != "*" else {
            return (first..<last + 1, nil)
        }
        guard let length = ByteRange.position(parts[1]), last < length else {
            return nil
        }
        return (first..<last + 1, length)
    }

    func slice(_ range: ByteRange) -> (offsets: Range<Int>, contentRange: String)? {
        guard let wanted = range.positions(of: length), positions.contains(wanted.lowerBound),
            wanted.upperBound <= positions.upperBound
        else {
            return nil
        }
        let offsets = wanted.lowerBound - positions.lowerBound..<wanted.upperBound - positions.lowerBound
        return (offsets, contentRange(of: wanted))
    }

    func contentRange(of positions: Range<Int>) -> String {
        "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(length.map(String.init) ?? "*")"
    }

    /// The missing range, if it is contiguous.
    var missing: String? {
        guard let length, !isWhole, !positions.isEmpty else {
            return nil
        }
        if positions.lowerBound == 0 {
            return "bytes=\(positions.upperBound)-"
        }
        return positions.upperBound == length ? "bytes=0-\(positions.lowerBound - 1)" : nil
    }

    /// Returns the combination of two parts of one representation (RFC 9111, section 3.4); `nil` if a gap remains
    /// between them, or if their total lengths differ.
    static func combined(
        _ left: (held: HeldBytes, body: Data),
        _ right: (held: HeldBytes, body: Data)
    ) -> (held: HeldBytes, body: Data)? {
        if let one = left.held.length, let other = right.held.length, one != other {
            return nil
        }
        let isOrdered = left.held.positions.lowerBound <= right.held.positions.lowerBound
        let (first, second) = isOrdered ? (left, right) : (right, left)
        guard second.held.positions.lowerBound <= first.held.positions.upperBound else {
            return nil
        }
        let overlap = first.held.positions.upperBound - second.held.positions.lowerBound
        let end = max(first.held.positions.upperBound, second.held.positions.upperBound)
        return (
            HeldBytes(
                positions: first.held.positions.lowerBound..<end,
                length: left.held.length ?? right.held.length
            ),
            first.body + second.body.dropFirst(overlap)
        )
    }
}
