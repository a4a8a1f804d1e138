// SPDX-License-Identifier: MIT

public import HTTPTypes

/// The statuses that a request takes for success.
///
/// ```swift
/// node.accepting([.ok, .notFound])
/// node.accepting(200..<400)
/// ```
public struct StatusSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    private let ranges: [Range<Int>]

    /// Every 2xx status, which is what a request accepts when it says nothing else.
    public static let successful = StatusSet(200..<300)

    /// Every status there is.
    public static let any = StatusSet(0..<1_000)

    /// Accepts the codes of a range.
    public init(_ codes: Range<Int>) {
        ranges = [codes]
    }

    /// Accepts exactly these statuses.
    public init(arrayLiteral elements: HTTPResponse.Status...) {
        ranges = elements.map { $0.code..<$0.code + 1 }
    }

    /// Accepts the statuses of either set.
    public func union(_ other: StatusSet) -> StatusSet {
        StatusSet(ranges: ranges + other.ranges)
    }

    /// Whether a status is accepted.
    public func contains(_ status: HTTPResponse.Status) -> Bool {
        ranges.contains { $0.contains(status.code) }
    }

    private init(ranges: [Range<Int>]) {
        self.ranges = ranges
    }
}

extension StatusSet: CustomStringConvertible {
    /// The codes and their ranges, as in `200..<300, 404`.
    public var description: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0)" }.joined(separator: ", ")
    }
}
