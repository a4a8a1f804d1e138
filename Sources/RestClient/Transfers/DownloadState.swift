// SPDX-License-Identifier: MIT

import HTTPTypes

/// The parts of a file that are there; kept beside it, so that another process can resume the download.
struct DownloadState: Sendable, Hashable, Codable {
    private(set) var version = 1

    /// The text by which the owner knows where the bytes came from: parts of different files must not be joined.
    let source: String

    /// The strong validator of the file (RFC 9110, section 8.8): an entity tag or a date, as the server wrote it; `nil`
    /// if there is none, so that an interrupted download begins again.
    var validator: String?

    var total: Int64?

    var received = ByteRanges()

    var digest: DigestField?

    init(source: String = "") {
        self.source = source
    }

    var isComplete: Bool { total.map { received.prefixCount >= $0 } ?? false }

    /// Returns the state as far as the file beside it bears it out, which may have become shorter or vanished.
    func limited(to fileLength: Int64, of source: String) -> DownloadState {
        guard version == 1, validator != nil, source == self.source, total ?? 0 >= 0 else {
            return DownloadState(source: source)
        }
        var state = self
        state.received = ByteRanges(
            received.ranges.compactMap { range in
                let range = range.clamped(to: 0..<max(0, min(fileLength, total ?? .max)))
                return range.isEmpty ? nil : range
            }
        )
        return state
    }
}

/// The parts of a file that are there: ranges of bytes in order, which neither overlap nor touch.
struct ByteRanges: Sendable, Hashable {
    private var rangeSet = RangeSet<Int64>()

    init() {}

    init(_ ranges: [Range<Int64>]) {
        rangeSet = RangeSet(ranges)
    }

    var ranges: [Range<Int64>] { Array(rangeSet.ranges) }
    var isEmpty: Bool { rangeSet.isEmpty }
    var count: Int64 { rangeSet.ranges.reduce(0) { $0 + $1.length } }

    /// The number of bytes from the beginning up to the first gap.
    var prefixCount: Int64 { rangeSet.ranges.first.flatMap { $0.lowerBound == 0 ? $0.upperBound : nil } ?? 0 }

    mutating func insert(_ range: Range<Int64>) {
        rangeSet.insert(contentsOf: range)
    }

    mutating func remove(_ range: Range<Int64>) {
        rangeSet.remove(contentsOf: range)
    }

    func gaps(in range: Range<Int64>) -> [Range<Int64>] {
        Array(RangeSet(range).subtracting(rangeSet).ranges)
    }
}

extension Range<Int64> {
    /// The number of bytes, also where `Int` has 32 bits.
    var length: Int64 { upperBound - lowerBound }
}

extension ByteRanges: Codable {
    /// Reads a list of bounds, as in `[0, 100, 200, 300]`.
    init(from decoder: any Decoder) throws {
        let bounds = try decoder.singleValueContainer().decode([Int64].self)
        // In order, so that no range reaches below zero and their lengths can be added.
        let isValid =
            bounds.count.isMultiple(of: 2) && (bounds.first ?? 0) >= 0 && zip(bounds, bounds.dropFirst()).allSatisfy(<)
        guard isValid else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "these are not ranges of bytes")
            )
        }
        self.init(stride(from: 0, to: bounds.count, by: 2).map { bounds[$0]..<bounds[$0 + 1] })
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(ranges.flatMap { [$0.lowerBound, $0.upperBound] })
    }
}

struct DownloadRequest: Sendable, Hashable {
    let id: Int

    /// The first byte; `nil` for the whole file.
    let start: Int64?

    /// The position behind the last byte; `nil` for all up to the end.
    let end: Int64?

    /// The strong validator that the file must have for a part to be sent (RFC 9110, section 13.1.5).
    let validator: String?

    /// The fields that make the request one for these bytes.
    ///
    /// Content codings are declined: positions are those of coded bytes (RFC 9110, section 14.1.2), and digests are
    /// taken of them.
    var headers: HTTPFields {
        var headers: HTTPFields = [.acceptEncoding: "identity"]
        if let preference = HTTPField.Name("Want-Repr-Digest") {
            headers[preference] = DigestField.preference
        }
        if let start {
            headers[.range] = "bytes=\(start)-" + (end.map { String($0 - 1) } ?? "")
            headers.set(.ifRange, text: validator)
        }
        return headers
    }
}

/// Divides what is missing of a file into ranges that are loaded side by side, without I/O.
enum RangePlan {
    /// Returns ranges that cover the gaps, in order.
    ///
    /// Large gaps are halved until there are as many ranges as connections; no half is smaller than the minimum. There
    /// may be more ranges than connections, if there are more gaps.
    static func ranges(covering gaps: [Range<Int64>], connections: Int, minimum: Int64) -> [Range<Int64>] {
        var ranges = gaps.filter { !$0.isEmpty }
        let minimum = max(1, minimum)
        while ranges.count < connections,
            let largest = ranges.indices.max(by: { ranges[$0].length < ranges[$1].length }),
            ranges[largest].length / 2 >= minimum
        {
            let range = ranges[largest]
            let middle = range.lowerBound + range.length / 2
            ranges.replaceSubrange(largest...largest, with: [range.lowerBound..<middle, middle..<range.upperBound])
        }
        return ranges
    }
}
