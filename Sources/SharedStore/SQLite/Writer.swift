// SPDX-License-Identifier: MIT

import DequeModule
import Dispatch
import Synchronization

/// The writer of a file: runs the queued jobs in one transaction, and ends them in order.
///
/// A caller that may block and finds the writer idle runs one transaction itself, which saves two
/// thread switches. All other jobs run on the writer's own queue, where a transaction also takes the jobs that arrive
/// while it runs. Either way there is one transaction at a time, and the jobs end in the order of their commits.
final class Writer: Sendable {
    /// The maximum number of jobs in one transaction, which limits how long the first of them waits.
    static let groupLimit = 256

    private struct State {
        var pending: Deque<WriteJob> = []
        var isWriting = false
        var isClosed = false

        mutating func take(upTo count: Int) -> [WriteJob] {
            let jobs = Array(pending.prefix(count))
            pending.removeFirst(jobs.count)
            return jobs
        }
    }

    private enum Slot {
        case open(Connection)
        case closed
    }

    /// It is a class, since closures cannot capture a `Mutex`.
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, StoreError>?>(nil)
    }

    private let state = Mutex(State())
    private let slot: Mutex<Slot>
    private let instance: UInt64
    private let foreignCommits: ForeignCommits
    private let identity: [UInt64]?
    private let queue = DispatchQueue(label: "SharedStore.Writer")

    /// The transactions so far, also those that could not begin; fewer than jobs if these were grouped.
    let transactions = Atomic(0)

    init(connection: sending Connection, instance: UInt64, foreignCommits: ForeignCommits) {
        identity = SystemFile.identity(of: connection.file)
        slot = Mutex(.open(connection))
        self.instance = instance
        self.foreignCommits = foreignCommits
    }

    // MARK: - Submitting

    /// Runs a job and blocks the calling thread until it has ended.
    ///
    /// The closure is called with the result once it is durable, in the order of the commits.
    func perform<Value: Sendable>(
        committed: @escaping @Sendable (Value) -> Void = { _ in },
        _ body: @escaping @Sendable (WriteSession) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let waiting = DispatchSemaphore(value: 0)
        let outcome = Outcome<Value>()
        let job = WriteJob(committed, body) { result in
            outcome.result.withLock { $0 = result }
            waiting.signal()
        }
        if try enqueue(job) { writeGroups(limit: 1) }
        waiting.wait()
        guard let result = outcome.result.withLock({ $0 }) else {
            throw StoreError(.internalFailure, "a write ended without a result")
        }
        return try result.get()
    }

    /// Runs a job on the writer's queue, with the closure as for the one that blocks.
    func perform<Value: Sendable>(
        committed: @escaping @Sendable (Value) -> Void = { _ in },
        _ body: @escaping @Sendable (WriteSession) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await withCheckedContinuation { continuation in
            let job = WriteJob(committed, body) { continuation.resume(returning: $0) }
            do throws(StoreError) {
                if try enqueue(job) { queue.async { self.writeGroups(limit: .max) } }
            } catch {
                job.fail(error)
            }
        }
        .get()
    }

    func performLater<Value: Sendable>(
        committed: @escaping @Sendable (Value) -> Void = { _ in },
        _ body: @escaping @Sendable (WriteSession) throws(StoreError) -> Value
    ) {
        if (try? enqueue(WriteJob(committed, body) { _ in })) == true { queue.async { self.writeGroups(limit: .max) } }
    }

    /// Adds a job; returns `true` if the caller must start writing.
    private func enqueue(_ job: WriteJob) throws(StoreError) -> Bool {
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
            let group = state.withLock { state -> [WriteJob] in
                let group = state.take(upTo: Self.groupLimit)
                if group.isEmpty { state.isWriting = false }
                return group
            }
            if group.isEmpty { return }
            // A caller that runs a transaction itself does not work for those that come after it.
            let result = write(group, takesMore: limit > 1)
            if result.hasCommitted { foreignCommits.signal() }
            for end in result.ends { end() }
            for head in result.foreignHeads { foreignCommits.noticed(head.version, of: head.collection) }
        }
        let hasMore = state.withLock { state in
            if state.pending.isEmpty { state.isWriting = false }
            return state.isWriting
        }
        if hasMore { queue.async { self.writeGroups(limit: .max) } }
    }

    /// Runs the jobs in one transaction or, if one of them spoils it, each in its own.
    private func write(_ jobs: [WriteJob], takesMore: Bool) -> Transaction {
        slot.withLock { slot in
            guard case .open(let connection) = slot else {
                let error = StoreError(.closed, "the store was closed")
                return Transaction(ends: jobs.map { job in { job.fail(error) } })
            }
            var group = jobs
            if let transaction = transact(&group, takesMore: takesMore, connection) { return transaction }
            var all = Transaction()
            for (index, job) in group.enumerated() {
                var alone = [job]
                let next = transact(&alone, takesMore: false, connection) ?? Transaction()
                all.ends += next.ends
                all.foreignHeads += next.foreignHeads
                all.hasCommitted = all.hasCommitted || next.hasCommitted
                // Another process has taken the file since; each of the others would wait for it as long.
                if let error = next.failureToBegin, error.code == .busy {
                    for left in group[(index + 1)...] { all.ends.append { left.fail(error) } }
                    break
                }
            }
            return all
        }
    }

    private struct Transaction: Sendable {
        /// End the jobs, in their order.
        var ends: [@Sendable () -> Void] = []
        var foreignHeads: [(collection: RowCollection, version: UInt64)] = []
        var hasCommitted = false
        var failureToBegin: StoreError?
    }

    /// Runs the jobs, with `takesMore` also those that arrive meanwhile, in one transaction; `nil` if each must run in
    /// its own.
    private func transact(_ group: inout [WriteJob], takesMore: Bool, _ connection: Connection) -> Transaction? {
        let session = WriteSession(connection: connection, instance: instance)
        var ends: [@Sendable () -> Void] = []
        transactions.add(1, ordering: .relaxed)
        do throws(StoreError) {
            try session.begin()
        } catch {
            // No job has run, so each of them alone would wait as long, and in vain.
            connection.rollBack()
            return Transaction(ends: group.map { job in { job.fail(error) } }, failureToBegin: error)
        }
        do throws(StoreError) {
            while ends.count < group.count {
                let job = group[ends.count]
                session.hasWritten = false
                do throws(StoreError) {
                    ends.append(try job.run(session))
                } catch  where !session.hasWritten && connection.isInTransaction {
                    ends.append { job.fail(error) }
                }
                if takesMore, ends.count == group.count {
                    let room = max(0, Self.groupLimit - group.count)
                    group += state.withLock { $0.take(upTo: room) }
                }
            }
            try checkFile(connection.file)
            try session.commit()
            return Transaction(
                ends: ends,
                foreignHeads: session.foreignHeads,
                hasCommitted: session.hasNewVersion
            )
        } catch {
            connection.rollBack()
            return group.count > 1 ? nil : Transaction(ends: group.map { job in { job.fail(error) } })
        }
    }

    /// Checks that the file is still where it was opened: what is written to a file that was removed is lost.
    private func checkFile(_ path: String) throws(StoreError) {
        guard let identity, !SystemFile.isFile(identity, at: path) else {
            return
        }
        throw StoreError(
            .cannotOpen,
            "the file was removed, moved or replaced while it was open, and nothing was written",
            file: path,
            advice: "Create a new store for the file.",
            sqliteCode: StoreError.movedFile
        )
    }

    // MARK: - Closing

    /// Rejects further jobs, waits for pending ones, and closes the connection.
    func close() {
        let ended = DispatchSemaphore(value: 0)
        let last = WriteJob({ (_: Void) in }, { _ throws(StoreError) in }, ended: { _ in ended.signal() })
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
        ended.wait()
        slot.withLock { $0 = .closed }
    }
}

struct WriteJob: Sendable {
    /// Runs the job; returns what to call once its changes are durable.
    let run: @Sendable (WriteSession) throws(StoreError) -> @Sendable () -> Void
    let fail: @Sendable (StoreError) -> Void

    /// Creates a job; `committed` is called when it is durable, and then, or when it has failed, `ended`.
    init<Value: Sendable>(
        _ committed: @escaping @Sendable (Value) -> Void,
        _ body: @escaping @Sendable (WriteSession) throws(StoreError) -> Value,
        ended: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        run = { session throws(StoreError) in
            let value = try body(session)
            return {
                committed(value)
                ended(.success(value))
            }
        }
        fail = { ended(.failure($0)) }
    }
}
