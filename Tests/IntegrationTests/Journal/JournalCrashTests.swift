// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// A process that runs a graph with a journal is killed at random moments; each call has the effect that its policy
/// promises.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: CrashingProcess.executable != nil, "the helper was not built")
)
struct JournalCrashTests {
    private var rounds: Int { CrashScene.rounds }

    // MARK: - Forward

    @Test
    func `with repetition allowed every call has its effect, and each unsafe one under a single key`() async throws {
        for _ in 0..<max(1, rounds / 6) {
            try await CrashScene.with { scene in
                let status = try await scene.run("repeat", killing: rounds)
                #expect(status == .success)
                let names = ["a", "b"].flatMap { line in (0..<6).map { "\(line)\($0)" } } + ["end"]
                for pass in Self.passes(scene.effects.elements) {
                    for name in names {
                        let keys = pass.effects.filter { $0.name == name }.map(\.key)
                        let isUnsafe = name != "end" && (name.last?.wholeNumberValue ?? 1).isMultiple(of: 2)
                        #expect(Set(keys).count == 1, "\(name) came with \(keys)")
                        #expect(keys.allSatisfy { ($0 != nil) == isUnsafe })
                    }
                }
            }
        }
    }

    @Test
    func `without it no unsafe call is ever sent twice`() async throws {
        for _ in 0..<rounds {
            try await CrashScene.with { scene in
                let status = try await scene.run("fail", killing: rounds)
                #expect(status == .success || status == .unknownOutcome)
                for pass in Self.passes(scene.effects.elements) {
                    #expect(Set(pass.unsafe).count == pass.unsafe.count, "sent twice: \(pass.unsafe)")
                }
            }
        }
    }

    // MARK: - Taking back

    @Test
    func `what is being taken back goes on being taken back, and nothing runs forward meanwhile`() async throws {
        for _ in 0..<max(1, rounds / 6) {
            try await CrashScene.with(refusing: "last") { scene in
                let status = try await scene.run("undo-repeat", killing: rounds)
                #expect(status == .takenBack)
                for pass in Self.passes(scene.effects.elements) {
                    #expect(pass.forward == ["do0", "do1", "do2", "do3", "last"])
                    #expect(pass.back == ["undo3", "undo2", "undo1", "undo0"])
                    #expect(pass.keysOfEach.allSatisfy { $0.count == 1 }, "\(pass.keysOfEach)")
                }
            }
        }
    }

    @Test
    func `without repetition no compensation is sent twice`() async throws {
        for _ in 0..<rounds {
            try await CrashScene.with(refusing: "last") { scene in
                let status = try await scene.run("undo-fail", killing: rounds)
                #expect(status == .takenBack || status == .unknownOutcome)
                for pass in Self.passes(scene.effects.elements) {
                    #expect(Set(pass.unsafe).count == pass.unsafe.count, "sent twice: \(pass.unsafe)")
                    // In that order, whatever is left out because nobody knows whether it was done.
                    #expect(pass.back == pass.back.sorted(by: >))
                }
            }
        }
    }

    // MARK: - Passes

    /// The requests of one run, from its first step to its last call or its last compensation.
    ///
    /// A process may be killed between the end of its run and its own: the next one then begins a new run.
    private struct Pass {
        var effects: [CrashScene.Effect] = []

        /// The names in the order in which they came first, without repetitions.
        private var names: [String] {
            effects.reduce(into: []) { names, effect in
                if !names.contains(effect.name) {
                    names.append(effect.name)
                }
            }
        }

        var forward: [String] { names.filter { !$0.hasPrefix("undo") } }
        var back: [String] { names.filter { $0.hasPrefix("undo") } }

        /// The names of unsafe calls, each as often as it came.
        var unsafe: [String] { effects.filter { $0.key != nil }.map(\.name) }

        /// True once its last call or a compensation has come: any other call then belongs to the next run.
        var isEnding: Bool { effects.contains { Self.isLast($0.name) } }

        /// The keys under which each unsafe call came.
        var keysOfEach: [Set<String>] {
            Dictionary(grouping: effects.filter { $0.key != nil }, by: \.name).values.map { Set($0.compactMap(\.key)) }
        }

        /// True for the last call of a run, and for a compensation.
        static func isLast(_ name: String) -> Bool {
            name == "end" || name.hasPrefix("undo")
        }
    }

    /// Parts what reached the server where a run begins again.
    private static func passes(_ effects: [CrashScene.Effect]) -> [Pass] {
        effects.reduce(into: [Pass()]) { passes, effect in
            if passes[passes.count - 1].isEnding, !Pass.isLast(effect.name) {
                passes.append(Pass())
            }
            passes[passes.count - 1].effects.append(effect)
        }
    }

    // MARK: - Two processes

    @Test
    func `a second process is refused while the first runs, and goes on when that was killed`() async throws {
        try await CrashScene.with { scene in
            scene.hold(true)
            let first = try scene.process("repeat")
            // Both lines of the graph wait for their first response.
            try await scene.gate.waitForWaiters(count: 2)
            let second = try scene.process("repeat")
            #expect(await scene.end(of: second) == .journalInUse)
            #expect(scene.effects.count == 2)

            first.kill()
            #expect(await scene.end(of: first) == .killed)
            scene.gate.open()
            let third = try scene.process("repeat")
            #expect(await scene.end(of: third) == .success)
            #expect(scene.keys["a0"]?.count == 2)
            #expect(Set(scene.keys["a0"] ?? []).count == 1)
            #expect(scene.keys["end"]?.count == 1)
        }
    }
}
