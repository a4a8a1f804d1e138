// SPDX-License-Identifier: MIT

/// The expected number of calls, in ``RestClient/DummyRegistry/verify(_:_:server:matching:times:)``.
///
/// An integer literal stands for an exact number.
public struct CallCount: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    private let lower: Int
    private let upper: Int?

    /// At least once.
    public static let some = atLeast(1)
    /// Exactly once.
    public static let once = exactly(1)
    /// Not at all.
    public static let never = exactly(0)

    /// Creates an exact count from a literal.
    public init(integerLiteral value: Int) {
        self = .exactly(value)
    }

    private init(_ lower: Int, _ upper: Int?) {
        self.lower = lower
        self.upper = upper
    }

    /// An exact number of calls.
    ///
    /// - Parameter count: The number.
    /// - Returns: The count.
    public static func exactly(_ count: Int) -> CallCount { CallCount(count, count) }

    /// A minimum number of calls.
    ///
    /// - Parameter count: The minimum.
    /// - Returns: The count.
    public static func atLeast(_ count: Int) -> CallCount { CallCount(count, nil) }

    /// A maximum number of calls.
    ///
    /// - Parameter count: The maximum.
    /// - Returns: The count.
    public static func atMost(_ count: Int) -> CallCount { CallCount(0, count) }

    /// A number of calls within bounds.
    ///
    /// - Parameter bounds: The minimum and the maximum.
    /// - Returns: The count.
    public static func within(_ bounds: ClosedRange<Int>) -> CallCount {
        CallCount(bounds.lowerBound, bounds.upperBound)
    }

    /// Returns true if a number of calls is expected.
    func allows(_ count: Int) -> Bool {
        count >= lower && upper.map { count <= $0 } ?? true
    }

    /// The count in words, as in `at least once`.
    public var description: String {
        switch (lower, upper) {
        case (let lower, nil): "at least \(Self.words(lower))"
        case (let lower, let upper?) where lower == upper: Self.words(lower)
        case (0, let upper?): "at most \(Self.words(upper))"
        case (let lower, let upper?): "\(lower) to \(upper) times"
        }
    }

    /// Returns a number of calls in words.
    static func words(_ count: Int) -> String {
        switch count {
        case 0: "never"
        case 1: "once"
        case 2: "twice"
        default: "\(count) times"
        }
    }
}
