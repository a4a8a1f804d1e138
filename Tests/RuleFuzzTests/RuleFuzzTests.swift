// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

/// Tries random inputs on the rules that read what others write.
///
/// The usual tests try the same few hundred inputs of each rule every time. `Scripts/fuzz` sets the variables that make
/// it more: RULE_FUZZ_TARGET, RULE_FUZZ_SECONDS, RULE_FUZZ_SEED, RULE_FUZZ_COUNT, and RULE_FUZZ_VERBOSE, which prints
/// each seed before its input is tried, to find one that traps or hangs.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct RuleFuzzTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment["RULE_FUZZ_" + name].flatMap { UInt64($0) }
    }

    /// The target of RULE_FUZZ_TARGET, or all.
    private static let targets: [FuzzTarget] = {
        let name = ProcessInfo.processInfo.environment["RULE_FUZZ_TARGET"]
        return FuzzTarget.all.filter { name == nil || $0.name == name }
    }()

    @Test(arguments: targets)
    func `no input breaks a promise of`(target: FuzzTarget) async {
        let first = Self.number("SEED") ?? 1
        let seconds = Self.number("SECONDS")
        let count = Self.number("COUNT") ?? (seconds == nil ? target.usualCount : .max - first)
        let isVerbose = Self.number("VERBOSE") != nil
        let began = ContinuousClock.now
        var (tried, findings) = (UInt64(0), 0)
        var slowest = (time: Duration.zero, seed: first)

        while tried < count, findings < 5, seconds.map({ began.duration(to: .now) < .seconds($0) }) ?? true {
            let seed = first &+ tried
            if isVerbose || (seconds != nil && tried % 10_000 == 0) {
                print("\(target.name): seed \(seed)")
            }
            let start = ContinuousClock.now
            var input = FuzzInput(seed: seed)
            do {
                try await target.check(&input)
            } catch {
                findings += 1
                Issue.record("\(target.name), seed \(seed): \(error)")
            }
            let time = start.duration(to: .now)
            if time > slowest.time {
                slowest = (time, seed)
            }
            tried += 1
        }

        if seconds != nil {
            let most = "the slowest took \(slowest.time) (seed \(slowest.seed))"
            print("\(target.name): \(tried) inputs, \(findings) findings; \(most)")
        }
        #expect(tried > 0)
    }
}
