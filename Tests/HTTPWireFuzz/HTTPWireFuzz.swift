// SPDX-License-Identifier: MIT

import HTTPWireSamples
import RestEssentials
import SeededRandom

/// Compares the parser of responses with llhttp until the time is over: `HTTPWireFuzz --seconds 600 [--seed N]`.
///
/// A difference names its seed; `HTTPWireFuzz --replay N` compares that sample alone.
@main
enum HTTPWireFuzz {
    static func main() {
        let arguments = CommandLine.arguments
        func option(_ name: String) -> UInt64? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? UInt64(arguments[$0 + 1]) : nil }
        }
        var comparison = ParserComparison()
        if let seed = option("--replay") {
            comparison.compare(seed: seed)
            comparison.differences.forEach(report)
        } else {
            let seed = option("--seed") ?? UInt64.random(in: 0...UInt64.max)
            print("seed \(seed)")
            let end = ContinuousClock.now + .seconds(Int64(option("--seconds") ?? 10))
            var random = SeededGenerator(seed: seed)
            while ContinuousClock.now < end, comparison.differences.count < 20 {
                let known = comparison.differences.count
                for _ in 0..<500 {
                    comparison.compare(seed: random.next())
                }
                // At once, so that a run that is ended early has said what it found.
                for difference in comparison.differences.dropFirst(known) {
                    report(difference)
                }
            }
        }
        let stricter = comparison.stricter.map { "\($0.map { "\($0)" } ?? "it is cut"): \($1)" }.sorted()
        print(
            """
            \(comparison.acceptedCount) accepted by both, \(comparison.refusedCount) refused by both, \
            \(comparison.differences.count) differences
            refused by this library alone: \(stricter.joined(separator: "; "))
            """
        )
    }

    private static func report(_ difference: String) {
        print(difference)
        fflush(nil)
    }
}
