// SPDX-License-Identifier: MIT

/// The effort of compression: from 1, the fastest, to 9, the smallest.
public struct CompressionLevel: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The level as a number from 0 to 9.
    ///
    /// Level 0 does not compress.
    public let rawValue: Int

    /// Creates a level.
    ///
    /// A number out of range is clamped.
    ///
    /// - Parameter rawValue: The level as a number from 0 to 9.
    public init(_ rawValue: Int) {
        self.rawValue = min(max(rawValue, 0), 9)
    }

    /// Creates a level from a literal.
    ///
    /// A number out of range is clamped.
    public init(integerLiteral value: Int) {
        self.init(value)
    }

    /// The fastest that still compresses: 1.
    public static let fastest = CompressionLevel(1)
    /// Between speed and size: 6.
    public static let balanced = CompressionLevel(6)
    /// The smallest output: 9.
    public static let smallest = CompressionLevel(9)
}
