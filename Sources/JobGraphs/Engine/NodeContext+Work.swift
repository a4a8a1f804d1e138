// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

extension NodeContext {
    /// Does the work of the node with everything that its options say, in the journal of its run.
    func perform(retry: RetryPolicy?) async throws -> any Sendable {
        guard let session = engine.settings.session else {
            return try await workWithKeys(retry)
        }
        return try await session.perform(self) { try await $0.workWithKeys(retry) }
    }

    private func workWithKeys(_ retry: RetryPolicy?) async throws -> any Sendable {
        guard let keys = self.keys else {
            return try await retrying(by: retry) { try await work() }
        }
        var hasWaited = false
        func tellOfWait() { hasWaited = true }
        return try await engine.runtime.mutexKeys.withKeys(keys, onWait: tellOfWait) {
            if hasWaited {
                noteWait(from: keys.requestedAt, to: engine.runtime.clock.now())
            }
            return try await retrying(by: retry) { try await work() }
        }
    }

    /// Retries the work until an attempt succeeds or the policy stops; the waits between attempts hold no worker slot.
    func retrying<Value: Sendable>(
        by policy: RetryPolicy?,
        _ work: () async throws -> Value
    ) async throws -> Value {
        guard let policy else {
            return try await work()
        }
        let effects = UnsafeEffects()
        return try await effects.counted { try await attempts(policy, effects, work) }
    }

    private func attempts<Value: Sendable>(
        _ policy: RetryPolicy,
        _ effects: UnsafeEffects,
        _ work: () async throws -> Value
    ) async throws -> Value {
        var attempt = 1
        while true {
            do {
                return try await work()
            } catch {
                try Task.checkCancellation()
                switch decision(policy, after: error, attempt, effects) {
                case .retry(let delay):
                    attempt += 1
                    engine.emit(.retryDecided(number: attempt, delay: delay, error))
                    try await pause(for: delay, after: error)
                case .stop(let reason):
                    engine.emit(.retrySuppressed(RetrySuppression(reason), error))
                    throw error
                }
            }
        }
    }

    private func decision(
        _ policy: RetryPolicy,
        after error: any Error,
        _ attempt: Int,
        _ effects: UnsafeEffects
    ) -> RetryPolicy.Decision {
        let runtime = engine.runtime
        let remaining = self.deadline.map { $0 - runtime.clock.now() }
        var failure = self.note?.take(\.failure)?.seen(as: error) ?? AttemptFailure(of: error, now: runtime.now())
        failure.repetition.add(effects.repetition)
        var generator = SplitMix64(seed: engine.nextSeed())
        return policy.decision(after: failure, attempt: attempt, remaining: remaining, using: &generator)
    }

    /// Asks repeatedly, until a result meets the condition; a wait holds no worker slot.
    func poll<Model: Sendable>(
        by policy: PollPolicy,
        _ isDone: @Sendable (Model) throws -> Bool,
        _ ask: @Sendable (NodeContext) async throws -> Model
    ) async throws -> Model {
        let clock = engine.runtime.clock
        let start = clock.now()
        var attempt = 1
        while true {
            var context = self
            context.part += "-\(attempt)"
            let model = try await ask(context)
            if try isDone(model) {
                return model
            }
            let elapsed = clock.now() - start
            let asked = self.note?.take(\.requestedDelay)
            var generator = SplitMix64(seed: engine.nextSeed())
            guard let delay = policy.delay(after: attempt, asked: asked, elapsed: elapsed, using: &generator) else {
                throw JobGraphError(
                    .pollExhausted,
                    "the node '\(engine.program.name(of: index))' ran \(attempt) times in \(elapsed) without a result that "
                        + "meets its condition; allow more attempts or a longer limit"
                )
            }
            try await pause(for: delay)
            attempt += 1
        }
    }

    func work(since start: Duration? = nil) async throws -> any Sendable {
        let body = engine.program.body(of: index)
        guard engine.program.kind(of: index) == .local else {
            switch body {
            case .immediate(let work): return try work(self)
            case .suspending(let work): return try await work(self)
            }
        }
        let priority = engine.program.options.isEmpty ? nil : engine.program.options[index]?.priority
        return try await engine.runtime.runLocal(
            engine.program.name(of: index),
            in: engine.id,
            priority: priority ?? .normal,
            since: start,
            reservation: self.reservation,
            note: self.note,
            noteWait: noteWait(from:to:)
        ) {
            switch body {
            // Reached only if it has to wait for a slot, for a key, or between attempts.
            case .immediate(let work): try work(self)
            case .suspending(let work): try await work(self)
            }
        }
    }

    private func noteWait(from start: Duration, to end: Duration) {
        if let note = self.note {
            note.noteWait(from: start, to: end, since: engine.start)
        } else if end > start {
            engine.state.withLock { $0.records.noteWait(of: index, from: start, to: end, since: engine.start) }
        }
    }

    var finalNote: JobNote? {
        self.note.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func pause(for delay: Duration, after error: (any Error)? = nil) async throws {
        guard !engine.isHalted else {
            throw CancellationError()
        }
        let clock = engine.runtime.clock
        // Others may have begun with the slot before this code is reached.
        let start = (self.note?.take(\.workEnded) ?? clock.now()) - engine.start
        func end(isLast: Bool) {
            let end = max(start, clock.now() - engine.start)
            self.note?
                .update { note in
                    note.endAttempt(failed: error, pause: start..<end, isLast: isLast, since: engine.start)
                }
        }
        do {
            try await clock.sleep(for: delay)
        } catch {
            end(isLast: true)
            throw error
        }
        end(isLast: false)
    }
}

extension GraphEngine {
    /// Returns the seed of one decision, which is made outside the lock: the closures of a policy may use the run.
    func nextSeed() -> UInt64 {
        state.withLock { $0.generator.next() }
    }
}

extension JobOptions {
    var isPlain: Bool { retry == nil && timeout == nil && mutexKeys.isEmpty }
}
