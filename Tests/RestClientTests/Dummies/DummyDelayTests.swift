// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct DummyDelayTests {
    @Test(
        arguments: [
            (.fixed(.milliseconds(80)), .milliseconds(80)), (.milliseconds(5), .milliseconds(5)),
            (.seconds(2), .seconds(2)), (.fixed(.seconds(-1)), .zero), (.milliseconds(-1), .zero),
        ] as [(DummyDelay, Duration)]
    )
    func `a fixed delay is equal for every call, and never negative`(delay: DummyDelay, duration: Duration) {
        #expect((1...3).map(delay.duration(ofCall:)) == [duration, duration, duration])
    }

    @Test(
        arguments: [
            .uniform(.milliseconds(10)...(.milliseconds(90)), seed: 7),
            .normal(mean: .milliseconds(50), standardDeviation: .milliseconds(10), seed: 7),
            .logNormal(median: .milliseconds(50), sigma: 0.5, seed: 7),
        ] as [DummyDelay]
    )
    func `a delay that varies follows from seed and number alone`(delay: DummyDelay) {
        let forwards = (1...50).map(delay.duration(ofCall:))
        let backwards = (1...50).reversed().map(delay.duration(ofCall:)).reversed()
        #expect(forwards == Array(backwards))
        #expect(Set(forwards).count > 40)
    }

    @Test
    func `another seed leads to other delays`() {
        let range: ClosedRange<Duration> = .zero...(.seconds(1))
        let one = (1...20).map(DummyDelay.uniform(range, seed: 1).duration(ofCall:))
        let two = (1...20).map(DummyDelay.uniform(range, seed: 2).duration(ofCall:))
        #expect(one != two)
    }

    @Test
    func `uniform delays fill their range and stay inside`() {
        let delay = DummyDelay.uniform(.milliseconds(10)...(.milliseconds(90)), seed: 3)
        let delays = (1...2_000).map(delay.duration(ofCall:))
        #expect(delays.allSatisfy { $0 >= .milliseconds(10) && $0 <= .milliseconds(90) })
        let mean = delays.reduce(.zero, +) / 2_000
        #expect(mean > .milliseconds(48) && mean < .milliseconds(52))
        #expect(delays.contains { $0 < .milliseconds(12) } && delays.contains { $0 > .milliseconds(88) })
    }

    @Test
    func `normal delays gather around their mean, and are never negative`() {
        let delay = DummyDelay.normal(mean: .milliseconds(50), standardDeviation: .milliseconds(10), seed: 3)
        let delays = (1...2_000).map(delay.duration(ofCall:))
        let within = delays.count { $0 > .milliseconds(40) && $0 < .milliseconds(60) }
        #expect((1_280...1_440).contains(within), "68 % lie within one standard deviation, here \(within) of 2000")
        let wide = DummyDelay.normal(mean: .zero, standardDeviation: .seconds(1), seed: 3)
        #expect((1...200).allSatisfy { wide.duration(ofCall: $0) >= .zero })
    }

    @Test
    func `half of the log-normal delays are shorter than the median, and some are very long`() {
        let delay = DummyDelay.logNormal(median: .milliseconds(50), sigma: 0.5, seed: 3)
        let delays = (1...2_000).map(delay.duration(ofCall:))
        let shorter = delays.count { $0 < .milliseconds(50) }
        #expect((920...1_080).contains(shorter))
        #expect((5...60).contains(delays.count { $0 > .milliseconds(150) }))
    }

    @Test
    func `a range of one value and extreme numbers are valid`() {
        let delay = DummyDelay.uniform(.seconds(1)...(.seconds(1)), seed: .max)
        #expect([Int.min, -1, 0, .max].map(delay.duration(ofCall:)).allSatisfy { $0 == .seconds(1) })
        #expect(DummyDelay.logNormal(median: .seconds(1), sigma: .nan, seed: 1).duration(ofCall: 1) == .zero)
        #expect(DummyDelay.logNormal(median: .seconds(1), sigma: .infinity, seed: 1).duration(ofCall: 1) >= .zero)
    }
}
