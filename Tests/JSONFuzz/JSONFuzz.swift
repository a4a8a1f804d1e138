// SPDX-License-Identifier: MIT

import JSONSamples
import RestEssentials
import SeededRandom

/// Compares the coders with Foundation's until the time is over: `JSONFuzz --seconds 600 [--seed N]`.
@main
enum JSONFuzz {
    static func main() {
        let arguments = CommandLine.arguments
        func option(_ name: String) -> UInt64? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? UInt64(arguments[$0 + 1]) : nil }
        }
        let seconds = option("--seconds") ?? 10
        let seed = option("--seed") ?? UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        let end = ContinuousClock.now + .seconds(Int64(seconds))
        var generator = SeededGenerator(seed: seed)
        var (rounds, direct, handedOver, differences) = (0, 0, 0, 0)
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
            differences += comparison.differences.count
            for difference in comparison.differences { print(difference) }
        }
        print("\(rounds) rounds, \(direct) compared, \(handedOver) left to Foundation, \(differences) differences")
    }
}
