// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@Suite struct SplitMix64Tests {
    @Test
    func `equal seeds yield the published sequence`() {
        var generator = SplitMix64(seed: 1_234_567)
        let numbers = (0..<3).map { _ in generator.next() }
        #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}
