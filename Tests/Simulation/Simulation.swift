// SPDX-License-Identifier: MIT

import RestEssentials

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The program of `Scripts/simulate`.
///
///     Simulation FROM COUNT [--check N]    runs seeds; each Nth of them twice, which must do the same
///     Simulation SEED --verbose [--again]  runs one seed, and prints what happens, the first or the second time
///
/// Its status is 0 if every promise was kept, and 1 if not.
@main
enum Simulation {
    private static let hashing = "SWIFT_DETERMINISTIC_HASHING"

    nonisolated static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        fixHashes()
        guard ExecutorHook.install() else {
            print("the runtime has no hook for its global executor")
            exit(2)
        }
        if let index = arguments.firstIndex(of: "--verbose"), let seed = arguments.first.flatMap({ UInt64($0) }) {
            arguments.remove(at: index)
            show(seed)
        }
        guard arguments.count >= 2, let from = UInt64(arguments[0]), let count = UInt64(arguments[1]) else {
            print("see Scripts/simulate --help")
            exit(2)
        }
        let step = arguments.firstIndex(of: "--check").flatMap { UInt64(arguments[$0 + 1]) } ?? 50
        exit(run(from..<(from + count), checkingEach: step) ? 0 : 1)
    }

    /// Starts the program again with hashes that are the same each time, unless they are: the order of dictionaries
    /// depends on them.
    private static func fixHashes() {
        guard unsafe getenv(hashing) == nil else {
            return
        }
        unsafe setenv(hashing, "1", 1)
        var arguments = unsafe CommandLine.arguments.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        _ = unsafe execv(CommandLine.arguments[0], arguments)
        print("the program could not be started again; set \(hashing)=1 yourself")
        exit(2)
    }

    private static func show(_ seed: UInt64) -> Never {
        if CommandLine.arguments.contains("--again") {
            _ = World.run(seed: seed)
        }
        let verdict = World.run(seed: seed, traceLimit: 1_000_000)
        for line in verdict.trace.lines {
            print(line)
        }
        report(verdict)
        exit(verdict.defects.isEmpty ? 0 : 1)
    }

    private static func report(_ verdict: World.Verdict) {
        let digest = String(verdict.trace.digest, radix: 16)
        print("seed \(verdict.seed): \(verdict.steps) steps, \(verdict.time) of virtual time, trace \(digest)")
        for defect in verdict.defects.prefix(5) {
            print("seed \(verdict.seed): DEFECT: \(defect)")
        }
    }

    private static func run(_ seeds: Range<UInt64>, checkingEach step: UInt64) -> Bool {
        var failed: [UInt64] = []
        var (steps, crashes, begun) = (0, 0, 0)
        var time = Duration.zero
        var outcomes: [String: Int] = [:]
        var kinds: [String: Int] = [:]
        for seed in seeds {
            let verdict = World.run(seed: seed)
            var isGood = verdict.defects.isEmpty
            if step > 0, seed % step == 0 {
                let again = World.run(seed: seed)
                if again.trace.digest != verdict.trace.digest {
                    print("seed \(seed): DEFECT: it did something else when it was run again")
                    isGood = false
                }
            }
            if !isGood {
                failed.append(seed)
                report(verdict)
            }
            steps += verdict.steps
            crashes += verdict.crashes
            begun += verdict.counts.begun
            time += verdict.time
            outcomes.merge(verdict.counts.outcomes, uniquingKeysWith: +)
            kinds.merge(verdict.counts.kinds, uniquingKeysWith: +)
        }
        let ends = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let events = kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("seeds \(seeds.lowerBound) to \(seeds.upperBound - 1): \(begun) operations in \(steps) steps and \(time)")
        print("\(crashes) crashes; operations: \(ends)")
        print("events: \(events)")
        print("\(failed.count) seeds failed\(failed.isEmpty ? "" : ": \(failed.prefix(20))")")
        return failed.isEmpty
    }
}
