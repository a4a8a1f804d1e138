// SPDX-License-Identifier: MIT

public import HTTPTypes

/// The statuses that count as success.
///
/// ```swift
/// node.accepting([.ok, .notFound])
/// node.accepting(StatusSet(200..<400))
/// ```
public struct StatusSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    private let ranges: [Range<Int>]

    /// Every 2xx status, the default of requests.
    public static let successful = StatusSet(200..<300)

    /// Every status.
    public static let any = StatusSet(0..<1_000)

    func union(_ other: StatusSet) -> StatusSet {
        StatusSet(ranges: ranges + other.ranges)
    }

    /// Returns true if a status is accepted.
    public func contains(_ status: HTTPResponse.Status) -> Bool {
        ranges.contains { $0.contains(status.code) }
    }
}

extension StatusSet {
    /// Creates a set of the codes in a range.
    public init(_ codes: Range<Int>) {
        self.init(ranges: [codes])
    }

    /// Creates a set of statuses.
    public init(arrayLiteral elements: HTTPResponse.Status...) {
        self.init(ranges: elements.map { $0.code..<$0.code + 1 })
    }
}

extension StatusSet: CustomStringConvertible {
    /// The codes and their ranges, as in `200..<300, 404`.
    public var description: String {
        // The number of codes in a range may be more than an integer holds.
        ranges.map { $0.lowerBound &+ 1 == $0.upperBound ? "\($0.lowerBound)" : "\($0)" }.joined(separator: ", ")
    }
}
