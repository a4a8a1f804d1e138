// SPDX-License-Identifier: MIT

import SeededRandom

/// The generator of `SeededRandom`, under a name that these suites know without an import.
struct SeededGenerator: RandomNumberGenerator {
    private var generator: SeededRandom.SeededGenerator

    init(seed: UInt64) {
        generator = SeededRandom.SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 {
        generator.next()
    }
}
