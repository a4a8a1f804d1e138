// SPDX-License-Identifier: MIT

import DequeModule
import Dispatch
import Synchronization

/// The writer of a file: runs the queued jobs in one transaction, and ends them in order.
///
/// A caller that may block and finds the writer idle runs one transaction itself, which saves two
/// thread switches. All other jobs run on the writer's own queue. Either way there is one transaction at a
/// time, and the jobs end in the order of their commits.
final class Writer: Sendable {
    /// The maximum number of jobs in one transaction, which limits how long the first of them waits.
    static let groupLimit = 256

    private struct State {
        var pending: Deque<any WriteJob> = []
        var isWriting = false
        var isClosed = false
    }

    private enum Slot {
        case open(Connection)
        case closed
    }

    private let state = Mutex(State())
    private let slot: Mutex<Slot>
    private let instance: UInt64
    private let foreignCommits: ForeignCommits
    private let queue = DispatchQueue(label: "SharedStore.Writer")

    /// The number of transactions so far.
    ///
    /// There are fewer than jobs if jobs were grouped.
    let transactions = Atomic(0)

    init(connection: sending Connection, instance: UInt64, foreignCommits: ForeignCommits) {
        slot = Mutex(.open(connection))
        self.instance = instance
        self.foreignCommits = foreignCommits
    }

    // MARK: - Submitting

    /// Runs the job and blocks the calling thread until it has ended.
    func perform<Value>(_ job: TypedWriteJob<Value>) throws(StoreError) -> Value {
        if try enqueue(job) { writeGroups(limit: 1) }
        return try job.wait()
    }

    /// Runs the job on the writer's queue.
    func perform<Value>(_ job: TypedWriteJob<Value>) async throws(StoreError) -> Value {
        if try enqueue(job) { queue.async { self.writeGroups(limit: .max) } }
        return try await withCheckedContinuation { job.wait(resuming: $0) }.get()
    }

    /// Runs the job on the writer's queue, without waiting for it.
    func performLater<Value>(_ job: TypedWriteJob<Value>) {
        if (try? enqueue(job)) == true { queue.async { self.writeGroups(limit: .max) } }
    }

    /// Adds a job; returns `true` if the caller must start writing.
    private func enqueue(_ job: some WriteJob) throws(StoreError) -> Bool {
        try state.withLock { state throws(StoreError) in
            guard !state.isClosed else {
                throw StoreError(.closed, "the store was closed")
            }
            state.pending.append(job)
            guard !state.isWriting else {
                return false
            }
            state.isWriting = true
            return true
        }
    }

    // MARK: - Writing

    private func writeGroups(limit: Int) {
        for _ in 0..<limit {
            let group = state.withLock { state -> [any WriteJob] in
                let group = Array(state.pending.prefix(Self.groupLimit))
                state.pending.removeFirst(group.count)
                if group.isEmpty { state.isWriting = false }
                return group
            }
            if group.isEmpty { return }
            let result = write(group)
            if result.hasCommitted { foreignCommits.signal() }
            for (job, error) in zip(group, result.errors) { job.end(error) }
            for head in result.foreignHeads { foreignCommits.noticed(head.version, of: head.collection) }
        }
        let hasMore = state.withLock { state in
            if state.pending.isEmpty { state.isWriting = false }
            return state.isWriting
        }
        if hasMore { queue.async { self.writeGroups(limit: .max) } }
    }

    /// Runs the jobs in one transaction or, if one of them spoils it, each in its own.
    private func write(_ group: [any WriteJob]) -> Outcome {
        slot.withLock { slot in
            guard case .open(let connection) = slot else {
                return Outcome(errors: group.map { _ in StoreError(.closed, "the store was closed") })
            }
            if let outcome = transact(group, connection) { return outcome }
            var all = Outcome()
            for job in group {
                let outcome = transact([job], connection)
                all.errors.append(outcome?.errors.first ?? StoreError(.internalFailure, "a write was lost"))
                all.foreignHeads += outcome?.foreignHeads ?? []
                all.hasCommitted = all.hasCommitted || outcome?.hasCommitted == true
            }
            return all
        }
    }

    /// The result of a transaction.
    private struct Outcome: Sendable {
        /// The error of each job; `nil` if it is durable.
        var errors: [StoreError?] = []
        var foreignHeads: [(collection: RowCollection, version: UInt64)] = []
        /// A Boolean value that tells whether there is a new version of a collection.
        var hasCommitted = false
    }

    /// Returns `nil` if each job must run in its own transaction.
    private func transact(_ group: [any WriteJob], _ connection: Connection) -> Outcome? {
        let session = WriteSession(connection: connection, instance: instance)
        var errors: [StoreError?] = []
        do throws(StoreError) {
            try session.begin()
            for job in group {
                session.hasWritten = false
                do throws(StoreError) {
                    try job.run(in: session)
                    errors.append(nil)
                } catch  where !session.hasWritten && connection.isInTransaction {
                    errors.append(error)
                }
            }
            try session.commit()
            transactions.add(1, ordering: .relaxed)
            return Outcome(
                errors: errors,
                foreignHeads: session.foreignHeads,
                hasCommitted: session.hasNewVersion
            )
        } catch {
            connection.rollBack()
            return group.count > 1 ? nil : Outcome(errors: [error])
        }
    }

    // MARK: - Closing

    /// Refuses further jobs, waits for pending ones, and closes the connection.
    func close() {
        let last = TypedWriteJob { _ throws(StoreError) in }
        let mustWrite = state.withLock { state -> Bool? in
            guard !state.isClosed else {
                return nil
            }
            state.isClosed = true
            state.pending.append(last)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard let mustWrite else {
            return
        }
        if mustWrite { writeGroups(limit: 1) }
        try? last.wait()
        slot.withLock { $0 = .closed }
    }
}
