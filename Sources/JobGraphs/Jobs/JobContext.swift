// SPDX-License-Identifier: MIT

import RestEssentials

/// The context in which a job runs.
public struct JobContext: Sendable {
    package let host: JobHost

    /// The group that the job belongs to, if any.
    public let groupID: GroupID?

    /// The result of the previous step, when the job runs in a chain.
    public let previous: PreviousResult

    package internal(set) var deadline: Duration?

    package internal(set) var note: JobNote?

    /// The time, on the runtime's clock, at which the run of the job's notes began.
    var runStart = Duration.zero

    var isWholeWork = false

    package internal(set) var priority: JobPriority?

    package internal(set) var unsafeWork: UnsafeWorks?

    var reservation: SlotReservation?

    package init(_ host: JobHost, groupID: GroupID? = nil, previous: PreviousResult = PreviousResult()) {
        self.host = host
        self.groupID = groupID
        self.previous = previous
    }

    /// The runtime that runs the job.
    public var runtime: JobRuntime { host.runtime }
}

extension JobContext {
    /// Does work that must not be done twice, like charging a card.
    ///
    /// In a run with a ``RunJournal``, a record of the work is stored together with a key before it begins. If the
    /// process dies before the outcome is stored, the next run finds the record and follows the ``UnknownOutcome`` of
    /// the node. Later attempts of the node, also those of later runs if the result is `Codable` or `Void`, get the
    /// result of an attempt whose work succeeded, and work that failed is not attempted again unless `hadNoEffect` or
    /// ``RetryPolicy/retriesUnsafeWork`` allows that.
    ///
    /// Unsafe requests and other unsafe work inside of it are a part of it: they do not decide whether the node is
    /// attempted again.
    ///
    /// Without a journal, the work is done each time the job runs, each time with a new key.
    ///
    /// ```swift
    /// struct Charge: Job {
    ///     func run(in context: JobContext) async throws -> Receipt {
    ///         try await context.once { key in try await bank.charge(card, key: key) }
    ///     }
    /// }
    /// ```
    ///
    /// A job that does several such pieces of work must do them in the same order each time it runs, because the
    /// order identifies them.
    ///
    /// - Parameters:
    ///   - hadNoEffect: Returns true if work that failed with the given error changed nothing, so that it may be done
    ///     again. By default any failed work may have had its effect.
    ///   - work: The work. It receives the key, a text of letters, digits, hyphens and dots, which is the same when the
    ///     work is repeated with ``UnknownOutcome/repeatWithSameKey``.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work; `StoreError` when its record cannot be stored, and the work is not begun then.
    public func once<Value: Sendable>(
        hadNoEffect: (any Error) -> Bool = { _ in false },
        _ work: (_ key: String) async throws -> Value
    ) async throws -> Value {
        let effect = UnsafeEffects.begin()
        do {
            guard let unsafeWork else {
                return try await UnsafeEffects.uncounted { try await work(UUID().uuidString) }
            }
            let result = try await unsafeWork.performOnce(unless: hadNoEffect) { key in
                // What the work itself sends is a part of it.
                try await UnsafeEffects.uncounted { try await work(key) }
            }
            unsafeWork.endKept(effect)
            return result
        } catch {
            if hadNoEffect(error) {
                effect.endWithoutEffect()
            }
            throw error
        }
    }
}

extension JobContext {
    /// Does a part of the job, which reports show as an inner node; parts come one after the other.
    package func part<Value>(
        _ name: String,
        _ work: (JobContext) async throws -> Value
    ) async throws -> Value {
        guard let note else {
            return try await work(self)
        }
        let own = JobNote()
        var context = self
        context.note = own
        let start = runtime.clock.now()
        func end(_ result: NodeResult) {
            var times = NodeTimes()
            times.started = start
            times.ended = runtime.clock.now()
            let contents = own.all
            let part = NodeEnding(
                kind: .request,
                error: result.error,
                times: times,
                note: contents,
                runStart: runStart
            )
            .report(name, RunReport.Status(result.outcome, contents), ready: start - runStart, words: runtime.words)
            note.update { $0.addPart(part, failure: contents.failure) }
        }
        do {
            let value = try await work(context)
            end(.success(()))
            return value
        } catch {
            end(NodeResult(of: error))
            throw error
        }
    }
}
