// SPDX-License-Identifier: MIT

import JSONSamples
import RestEssentials
import SeededRandom

/// Compares the coders with Foundation's until the time is over: `JSONFuzz --seconds 600 [--seed N]`.
///
/// A difference names the seed that it was found with; `JSONFuzz --replay N` runs the comparisons of that seed alone.
@main
enum JSONFuzz {
    static func main() {
        let arguments = CommandLine.arguments
        func option(_ name: String) -> UInt64? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? UInt64(arguments[$0 + 1]) : nil }
        }
        if let seed = option("--replay") {
            return replay(seed)
        }
        let seconds = option("--seconds") ?? 10
        let seed = option("--seed") ?? UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        let end = ContinuousClock.now + .seconds(Int64(seconds))
        var generator = SeededGenerator(seed: seed)
        var (rounds, direct, handedOver, reordered, differences) = (0, 0, 0, 0, 0)
        while ContinuousClock.now < end, differences < 20 {
            var comparison = Comparison()
            for _ in 0..<50 {
                comparison.decode(seed: generator.next())
                comparison.encode(seed: generator.next())
            }
            comparison.records(seed: generator.next())
            rounds += 1
            direct += comparison.direct
            handedOver += comparison.handedOver
            reordered += comparison.reordered
            differences += comparison.differences.count
            for difference in comparison.differences { print(difference) }
        }
        print(
            """
            \(rounds) rounds, \(direct) compared, \(handedOver) left to Foundation, \(reordered) with another of \
            several errors first, \(differences) differences
            """
        )
    }

    private static func replay(_ seed: UInt64) {
        var comparison = Comparison()
        comparison.decode(seed: seed)
        comparison.encode(seed: seed)
        comparison.records(seed: seed)
        for difference in comparison.differences { print(difference) }
        print(
            """
            \(comparison.direct) compared, \(comparison.reordered) with another of several errors first, \
            \(comparison.differences.count) differences
            """
        )
    }
}
