// SPDX-License-Identifier: MIT

public import RestEssentials
import SharedStore

extension JobRunner {
    /// Makes a run of a durable graph, which a worker of any process on the same store begins.
    ///
    /// The name is the identity of the run: enqueued again, from wherever, it stays one run, and keeps its first input.
    /// So a timer in each process can enqueue the same name. A run that has ended is kept for seven days, or until
    /// ``Journals/drop(_:abandoningUnresolved:)``; one with work whose outcome is unknown, or that is yet to be
    /// compensated, stays. One that has failed goes on with ``Journals/retry(_:)``.
    ///
    /// - Parameters:
    ///   - graph: The graph.
    ///   - input: The input, from which the graph is made.
    ///   - name: The name of the run, and of its journal.
    ///   - due: The time of day from which on it may begin; by default at once.
    /// - Returns: True if this call made the run; false if there is one of its name.
    /// - Throws: ``JobGraphError`` when the input cannot be stored, or with the code
    ///   ``JobGraphError/Code-swift.struct/otherGraph`` when the name belongs to a run of another graph; `StoreError`
    ///   when the file cannot be written.
    @concurrent
    @discardableResult
    public func enqueue<Input>(
        _ graph: DurableGraph<Input>,
        _ input: Input,
        as name: String,
        at due: Date? = nil
    ) async throws -> Bool {
        let runtime = jobHost.runtime
        let rows = try runtime.journals.rows()
        let (now, request) = (runtime.now(), UInt64.random(in: 0 ... .max >> 1))
        let place = QueuePlace(graph.name, due: due ?? now)
        var head = JournalHead(graph: graph.name, status: .running, startedAt: now, origin: runtime.origin())
        head.place = place
        head.request = request
        head.codec = graph.codec.identifier
        let stored = try graph.encode(input, of: name, for: runtime, rows)
        let steps = [
            try JournalRows.put(JournalRows.head(name), head, value: stored, at: now, condition: .absent),
            try JournalRows.enqueue(name, at: place, now: now),
        ]
        if case .committed = try await rows.backing.commit(steps, in: .journal) {
            return true
        }
        guard let known = try await rows.head(of: name) else {
            return false
        }
        try known.check(graph.name, in: name)
        // The response to the commit may have been lost.
        return known.request == request
    }

    /// Makes a worker, which runs durable graphs that any process enqueues.
    ///
    /// ```swift
    /// try await manager.worker(limit: 4).offering(.nightly).offering(.invoices).run()
    /// ```
    ///
    /// - Parameter limit: The number of runs at once, at least one. Their requests and jobs share the worker pool.
    /// - Returns: A worker that offers nothing yet.
    public func worker(limit: Int) -> RunWorker {
        RunWorker(host: jobHost, limit: max(1, limit))
    }
}
