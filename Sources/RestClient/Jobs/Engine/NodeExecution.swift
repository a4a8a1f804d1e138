// SPDX-License-Identifier: MIT

import Synchronization

/// The work of one node, with its mutex keys and its tries.
struct NodeExecution: Sendable {
    let context: NodeContext
    let options: JobOptions

    private var core: ClientCore { context.engine.core }

    /// Does the work, or gives the result that a journal has.
    func run() async throws -> any Sendable {
        guard let session = context.engine.settings.session else {
            return try await runWithKeys()
        }
        return try await session.perform(context, options) { context in
            try await NodeExecution(context: context, options: options).runWithKeys()
        }
    }

    private func runWithKeys() async throws -> any Sendable {
        guard !options.mutexKeys.isEmpty else {
            return try await retrying(by: options.retry) { try await runOnce() }
        }
        return try await core.mutexKeys.withKeys(options.mutexKeys) {
            try await retrying(by: options.retry) { try await runOnce() }
        }
    }

    /// Tries until one try succeeds, or another one is not worth it; the waits between them hold no worker slot.
    func retrying<Value: Sendable>(
        by policy: RetryPolicy?,
        _ work: () async throws -> Value
    ) async throws -> Value {
        guard let policy else {
            return try await work()
        }
        var attempt = 1
        while true {
            do {
                return try await work()
            } catch {
                try Task.checkCancellation()
                guard case .retry(let delay) = decision(policy, after: error, attempt) else {
                    throw error
                }
                try await context.pause(for: delay, after: attempt)
                attempt += 1
                context.note?.update { $0.tries += 1 }
            }
        }
    }

    private func decision(_ policy: RetryPolicy, after error: any Error, _ attempt: Int) -> RetryPolicy.Decision {
        let remaining = context.deadline.map { $0 - core.clock.now() }
        let now = core.now()
        return context.engine.random {
            policy.decision(after: error, attempt: attempt, remaining: remaining, now: now, using: &$0)
        }
    }

    private func runOnce() async throws -> any Sendable {
        let node = context.engine.program.nodes[context.index]
        switch node.body {
        case .suspending(let work):
            return try await work(context)
        case .immediate(let work):
            // Here only when it has to wait for a slot, for a key, or between tries.
            guard node.kind == .local else {
                return try work(context)
            }
            return try await context.run(LocalJob<any Sendable>(node.name) { () async throws in try work(context) })
        }
    }
}

extension NodeContext {
    /// Waits between two tries, and notes that.
    func pause(for delay: Duration, after attempt: Int) async throws {
        let clock = engine.core.clock
        let start = clock.now() - engine.start
        try await clock.sleep(for: delay)
        let end = clock.now() - engine.start
        note?.update { $0.waits.append(RunReport.Span(.backoff, attempt: attempt, start: start, end: end)) }
    }
}

extension GraphEngine {
    /// Decides something with the run's random numbers.
    func random<Value: Sendable>(_ decide: (inout SplitMix64) -> Value) -> Value {
        state.withLock { decide(&$0.generator) }
    }
}

extension JobOptions {
    /// Whether the options ask for nothing that takes a task.
    var isPlain: Bool { retry == nil && timeout == nil && mutexKeys.isEmpty }
}
