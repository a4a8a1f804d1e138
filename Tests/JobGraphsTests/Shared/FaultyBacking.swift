// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SeededRandom
import SharedStore
import Synchronization

@testable import JobGraphs

/// The rows of one process on those of all: it can die, be suspended, and lose the responses to its commits.
final class FaultyBacking: BasicBacking {
    private struct State {
        var isDead = false
        var generator: SeededGenerator
        var faults = 0.0
        var suspendsAfter: (@Sendable (RowStep) -> Bool)?
        var before: (@Sendable ([RowStep]) async throws -> Void)?
        var change: (@Sendable (RowStep) -> RowStep?)?
    }

    private let rows: any BasicBacking
    private let gate = Mutex(Gate(isOpen: true))
    private let state: Mutex<State>

    init(_ rows: any BasicBacking, seed: UInt64 = 1, faults: Double = 0) {
        self.rows = rows
        state = Mutex(State(generator: SeededGenerator(seed: seed), faults: faults))
    }

    /// Nothing reaches the rows any more, as after a kill.
    func die() {
        state.withLock { $0.isDead = true }
        resume()
    }

    /// Nothing reaches the rows until ``resume()``, as while a process is stopped.
    func suspend() {
        gate.withLock { $0 = $0.isOpen ? Gate() : $0 }
    }

    /// Suspends itself once a commit with such a step has been applied, before the process learns of it.
    func suspend(after step: @escaping @Sendable (RowStep) -> Bool) {
        state.withLock { $0.suspendsAfter = step }
    }

    /// Does something before each commit is applied.
    func before(_ action: @escaping @Sendable ([RowStep]) async throws -> Void) {
        state.withLock { $0.before = action }
    }

    /// Changes each step of a commit before it is applied, or leaves it out.
    func change(_ change: @escaping @Sendable (RowStep) -> RowStep?) {
        state.withLock { $0.change = change }
    }

    func waitForSuspension() async throws {
        while gate.withLock({ $0.isOpen }) {
            try await RealTime.pass(.milliseconds(1))
        }
    }

    func resume() {
        gate.withLock { $0 }.open()
    }

    private func pass() async throws(StoreError) {
        let gate = gate.withLock { $0 }
        // A cancelled task waits too.
        await Task { try? await gate.wait() }.value
        if state.withLock({ $0.isDead }) {
            throw StoreError(.inputOutput, "the process has died")
        }
    }

    private func isHit() -> Bool {
        state.withLock { state in Double.random(in: 0..<1, using: &state.generator) < state.faults }
    }

    // MARK: - BasicBacking

    var isShared: Bool { true }

    func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row? {
        try await pass()
        return try await rows.row(key, in: collection)
    }

    func summary(_ key: String, in collection: RowCollection) async throws(StoreError) -> RowSummary? {
        try await pass()
        return try await rows.summary(key, in: collection)
    }

    func summaries(in collection: RowCollection, _ page: RowPage) async throws(StoreError) -> [RowSummary] {
        try await pass()
        return try await rows.summaries(in: collection, page)
    }

    func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit {
        try await pass()
        if isHit() {
            throw StoreError(.diskFull, "simulated")
        }
        try? await state.withLock(\.before)?(steps)
        let change = state.withLock(\.change)
        let commit = try await rows.commit(change.map { steps.compactMap($0) } ?? steps, in: collection)
        let isLast = state.withLock { state in
            let isLast = state.suspendsAfter.map { steps.contains(where: $0) } ?? false
            state.suspendsAfter = isLast ? nil : state.suspendsAfter
            return isLast
        }
        if isLast {
            suspend()
        }
        try await pass()
        if isHit() {
            throw StoreError(.inputOutput, "the response was lost")
        }
        return commit
    }

    func remove(_ selection: RowSelection, in collection: RowCollection) async throws(StoreError) -> RowRemoval {
        try await pass()
        return try await rows.remove(selection, in: collection)
    }

    func close() {}
}

extension RunTiming {
    /// Times for tests that wait for them.
    static var short: RunTiming {
        var timing = RunTiming()
        timing.lease = .milliseconds(1500)
        timing.beat = .milliseconds(100)
        timing.margin = .milliseconds(300)
        timing.look = .milliseconds(10)
        timing.grace = .seconds(20)
        return timing
    }
}

/// Time for the leases and beats of several processes, whose clocks nobody can advance together.
enum RealTime {
    static func pass(_ duration: Duration) async throws {
        let clock = ContinuousClock()
        try await clock.sleep(for: duration)
    }
}
