// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SharedStore
import Testing

@testable import JobGraphs

/// The conditions of rows on which the sharing of runs rests: each is left out once, and what it prevents then happens.
@Suite(.timeLimit(.minutes(5)))
struct RunSafeguardTests {
    enum Safeguard: CaseIterable, Sendable {
        /// A write of a run checks the token of its claim.
        case token
        /// A claim is only made where there is none.
        case claim
        /// A claim takes the run out of the queue in which it was seen.
        case queue
        /// A claim is only made by a life that others have not taken over.
        case life
        /// A life is only taken over as it was seen.
        case takeover
        /// A run is only made where there is none of its name.
        case name

        /// Returns the step without the condition; `nil` if nothing is left of it.
        func leftOut(of step: RowStep) -> RowStep? {
            guard step.key.hasPrefix(prefix), step.condition != .any else {
                return step
            }
            switch (self, step) {
            case (.token, .check), (.life, .check): return nil
            case (.claim, .put(let key, let value, let attributes, .absent)),
                (.name, .put(let key, let value, let attributes, .absent)):
                return .put(key: key, value: value, attributes: attributes, condition: .any)
            case (.queue, .remove(let key, _)), (.takeover, .remove(let key, _)):
                return .remove(key: key, condition: .any)
            default: return step
            }
        }

        private var prefix: String {
            switch self {
            case .token, .claim: JournalRows.claimPrefix
            case .queue: JournalRows.queuePrefix
            case .life, .takeover: JournalRows.lifePrefix
            case .name: JournalRows.headPrefix
            }
        }
    }

    /// Two processes on the same rows, the second one perhaps without a safeguard.
    private struct Scene {
        let rows = MemoryBacking()
        let backing: FaultyBacking
        let sound: JobRuntime
        let tested: JobRuntime
        let graph = DurableGraph<Int>("graph") { number in
            var graph = JobGraph("graph")
            graph.local("node") { number }
            return graph
        }

        init(of safeguard: Safeguard, isLeftOut: Bool) {
            backing = FaultyBacking(rows)
            if isLeftOut {
                backing.change { safeguard.leftOut(of: $0) }
            }
            // Where others are to be noticed, it looks often; else it must not notice by itself what has happened.
            let timing = [.claim, .takeover].contains(safeguard) ? RunTiming.short : RunTiming()
            sound = JobRuntime()
            tested = JobRuntime()
            sound.persist(on: rows, timing: .short)
            tested.persist(on: backing, timing: timing)
        }

        func commit(_ steps: RowStep...) async throws {
            _ = try await rows.commit(steps, in: .journal)
        }
    }

    @Test(arguments: Safeguard.allCases)
    func `a safeguard prevents what happens without it`(safeguard: Safeguard) async throws {
        let isSafe = try await self.isSafe(Scene(of: safeguard, isLeftOut: false), safeguard)
        #expect(isSafe)
        let isSafeWithout = try await self.isSafe(Scene(of: safeguard, isLeftOut: true), safeguard)
        #expect(!isSafeWithout)
    }

    /// Returns false if what the safeguard prevents has happened.
    private func isSafe(_ scene: Scene, _ safeguard: Safeguard) async throws -> Bool {
        switch safeguard {
        case .token: try await refusesLateWrites(scene)
        case .claim: try await claimsOnce(scene)
        case .queue: try await beginsOnce(scene)
        case .life: try await claimsAlive(scene)
        case .takeover: try await isSpoilt(scene)
        case .name: try await namesOnce(scene)
        }
    }

    /// A process whose run was taken over writes a result.
    private func refusesLateWrites(_ scene: Scene) async throws -> Bool {
        let late = try await scene.tested.journals.enter("run")
        let life = try #require(late.claim?.record.life)
        try await scene.commit(
            .remove(key: JournalRows.life(life), condition: .any),
            .remove(key: JournalRows.claim("run"), condition: .any)
        )
        let successor = try await scene.sound.journals.enter("run")
        let key = JournalRows.nodes("run") + "late"
        let write = try JournalRows.put(key, ["version": JournalCoding.version], at: .now)
        // It has not heard of the takeover.
        try? await late.commit([write])
        let isSafe = try await scene.rows.row(key, in: .journal) == nil
        await successor.leave()
        await late.leave()
        return isSafe
    }

    /// A process asks for a run that another one has.
    private func claimsOnce(_ scene: Scene) async throws -> Bool {
        let first = try await scene.sound.journals.enter("run")
        let second = try? await scene.tested.journals.enter("run")
        await second?.leave()
        await first.leave()
        return second == nil
    }

    /// A process asks for a run that it saw in the queue, and that has ended since.
    private func beginsOnce(_ scene: Scene) async throws -> Bool {
        try await scene.sound.enqueue(scene.graph, 1, as: "run")
        let rows = try scene.sound.journals.rows()
        let queued = try #require(try await rows.queued().first)
        let claim = try #require(try await scene.sound.journals.life().claim(queued))
        try await rows.claimed(by: claim).end([])
        let late = try await scene.tested.journals.life().claim(queued)
        if let late {
            await late.life.release(late)
        }
        return late == nil
    }

    /// A process that was taken over, and does not know it, asks for a run.
    private func claimsAlive(_ scene: Scene) async throws -> Bool {
        let first = try await scene.tested.journals.enter("first")
        let life = try #require(first.claim?.record.life)
        try await scene.commit(.remove(key: JournalRows.life(life), condition: .any))
        let late = try await scene.tested.journals.enter("late")
        let claimant = try #require(late.claim?.record.life)
        let isSafe = try await scene.sound.journals.rows().lives().contains { $0.id == claimant }
        await late.leave()
        await first.leave()
        return isSafe
    }

    /// A life beats between the look of an observer and the takeover.
    private func isSpoilt(_ scene: Scene) async throws -> Bool {
        let life = String(repeating: "0", count: 16)
        let record = LifeRecord(name: "slow", graphs: [], beat: 1)
        let beat = try JournalRows.put(JournalRows.life(life), record, at: .now)
        let claim = try JournalRows.put(JournalRows.claim("run"), ClaimRecord(life: life, worker: "slow"), at: .now)
        try await scene.commit(beat, claim)
        let hasBeaten = Gate()
        scene.backing.before { [rows = scene.rows] steps in
            if steps.first?.key == JournalRows.life(life), !hasBeaten.isOpen {
                _ = try await rows.commit([beat], in: .journal)
                hasBeaten.open()
            }
        }
        let worker = Task { try await scene.tested.worker(limit: 1).offering(scene.graph).run() }
        try await hasBeaten.wait()
        let rows = try scene.sound.journals.rows()
        func others() async throws -> [UInt64] { try await rows.lives().filter { $0.id != life }.map(\.version) }
        // The observer beats again once it has tried.
        let before = try await others()
        while try await others() == before {
            try await RealTime.pass(.milliseconds(5))
        }
        let isSafe = try await rows.claims().map(\.run) == ["run"]
        worker.cancel()
        try await worker.value
        return isSafe
    }

    /// A name is enqueued by two processes.
    private func namesOnce(_ scene: Scene) async throws -> Bool {
        try await scene.sound.enqueue(scene.graph, 1, as: "run")
        return try await !scene.tested.enqueue(scene.graph, 2, as: "run")
    }
}
