// SPDX-License-Identifier: MIT

import HTTPWireSamples
import RestEssentials
import SeededRandom

/// Compares the parser of responses with llhttp until the time is over: `HTTPWireFuzz --seconds 600 [--seed N]`.
///
/// With `--frames`, it compares what a connection of HTTP/2 makes of frames with what they were made from, and with
/// what it makes of them when they are cut in another way. A difference names its seed; `HTTPWireFuzz --replay N`
/// compares that sample alone.
@main
enum HTTPWireFuzz {
    static func main() {
        let arguments = CommandLine.arguments
        func option(_ name: String) -> UInt64? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? UInt64(arguments[$0 + 1]) : nil }
        }
        let areFrames = arguments.contains("--frames")
        var frames = FrameComparison()
        var responses = ParserComparison()
        /// Compares the sample of a seed, and returns all differences so far.
        func compare(_ seed: UInt64) -> [String] {
            if areFrames {
                frames.compare(seed: seed)
                return frames.differences
            }
            responses.compare(seed: seed)
            return responses.differences
        }
        if let seed = option("--replay") {
            compare(seed).forEach(report)
        } else {
            let seed = option("--seed") ?? UInt64.random(in: 0...UInt64.max)
            print("seed \(seed)")
            let end = ContinuousClock.now + .seconds(Int64(option("--seconds") ?? 10))
            var random = SeededGenerator(seed: seed)
            var known = 0
            while ContinuousClock.now < end, known < 20 {
                for _ in 0..<500 {
                    let differences = compare(random.next())
                    // At once, so that a run that is ended early has said what it found.
                    for difference in differences.dropFirst(known) {
                        report(difference)
                    }
                    known = differences.count
                }
            }
        }
        print(areFrames ? summary(frames) : summary(responses))
    }

    private static func summary(_ comparison: FrameComparison) -> String {
        """
        \(comparison.wholeCount) connections read as they were made; of as many with changed frames \
        \(comparison.toleratedCount) went on and \(comparison.brokenCount) ended; \
        \(comparison.differences.count) differences
        """
    }

    private static func summary(_ comparison: ParserComparison) -> String {
        let stricter = comparison.stricter.map { "\($0.map { "\($0)" } ?? "it is cut"): \($1)" }.sorted()
        return """
            \(comparison.acceptedCount) accepted by both, \(comparison.refusedCount) refused by both, \
            \(comparison.differences.count) differences
            refused by this library alone: \(stricter.joined(separator: "; "))
            """
    }

    private static func report(_ difference: String) {
        print(difference)
        fflush(nil)
    }
}
