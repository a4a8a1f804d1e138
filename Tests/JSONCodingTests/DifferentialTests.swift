// SPDX-License-Identifier: MIT

import JSONSamples
import RestEssentials
import Testing

@Suite("Comparison with Foundation")
struct DifferentialTests {
    @Test(arguments: 0..<4)
    func `scripted models decode the same from random documents`(part: UInt64) {
        var comparison = Comparison()
        for seed in 0..<1000 {
            comparison.decode(seed: part << 32 | UInt64(seed))
        }
        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.direct > 600)
    }

    @Test(arguments: 0..<4)
    func `scripted values encode the same`(part: UInt64) {
        var comparison = Comparison()
        for seed in 0..<1000 {
            comparison.encode(seed: part << 32 | UInt64(seed))
        }
        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.direct > 300)
    }

    @Test(arguments: 0..<4)
    func `records with every special type are the same, whole and spoiled`(part: UInt64) {
        var comparison = Comparison()
        for seed in 0..<30 {
            comparison.records(seed: part << 32 | UInt64(seed))
        }
        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.direct > 60)
    }
}
