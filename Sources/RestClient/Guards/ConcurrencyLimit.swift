// SPDX-License-Identifier: MIT

/// A limit of how many calls to a server are under way at once.
///
/// The others wait for their turn, first come first served, and hold no worker slot meanwhile: a server that is slow
/// keeps calls to others from nothing.
public struct ConcurrencyLimit: Sendable, Hashable, ExpressibleByIntegerLiteral {
    enum Mode: Sendable, Hashable {
        case fixed(Int)
        case adaptive(initial: Int, range: ClosedRange<Int>)
    }

    let mode: Mode

    var isAdaptive: Bool {
        if case .adaptive = mode { true } else { false }
    }

    /// Creates a limit that stays as it is.
    ///
    /// - Parameter count: How many calls; zero or less for any number, as everywhere.
    /// - Returns: The limit.
    public static func fixed(_ count: Int) -> ConcurrencyLimit {
        ConcurrencyLimit(mode: .fixed(count > 0 ? count : .max))
    }

    /// Creates a limit that follows the server: it grows as long as responses stay as fast as they were, and shrinks
    /// when they become slower, or when the server fails.
    ///
    /// - Parameters:
    ///   - initial: The limit to begin with.
    ///   - range: The lowest and the highest limit.
    /// - Returns: The limit.
    public static func adaptive(
        initial: Int = 8,
        within range: ClosedRange<Int> = 1...256
    ) -> ConcurrencyLimit {
        // Every integer up to this one is also a floating-point number, in which the limit is calculated.
        let most = 1 << 32
        let range = min(max(1, range.lowerBound), most)...min(max(1, range.upperBound), most)
        return ConcurrencyLimit(
            mode: .adaptive(initial: min(max(initial, range.lowerBound), range.upperBound), range: range)
        )
    }

    private init(mode: Mode) {
        self.mode = mode
    }

    /// Creates a limit that stays as it is from a literal.
    public init(integerLiteral value: Int) {
        self = .fixed(value)
    }
}

extension ConcurrencyLimit: CustomStringConvertible {
    /// The limit in words.
    public var description: String {
        switch mode {
        case .fixed(.max): "any number at once"
        case .fixed(let count): "\(count) at once"
        case .adaptive(_, let range): "\(range.lowerBound) to \(range.upperBound) at once, as the server bears"
        }
    }
}
