// SPDX-License-Identifier: MIT

import RestEssentials

/// Random numbers that are the same on every run.
public struct SeededGenerator: RandomNumberGenerator {
    private var generator: SplitMix64

    /// Creates a generator; the same seed gives the same numbers.
    public init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        generator.next()
    }
}
