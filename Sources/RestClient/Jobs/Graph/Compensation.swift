// SPDX-License-Identifier: MIT

/// Takes back what a node did.
struct Compensation: Sendable {
    let name: String
    let timeout: Duration?
    let run: @Sendable @concurrent (NodeContext) async throws -> Void

    /// Does the work, and gives it up when its time is over.
    ///
    /// - Parameter context: What the work is handed.
    /// - Throws: What the work throws; ``RestClientError`` with the code ``RestClientError/Code-swift.struct/timeout``.
    func perform(_ context: NodeContext) async throws {
        guard let timeout else {
            return try await run(context)
        }
        let clock = context.engine.core.clock
        let work = Task { try await AbandonableWork.run { try await run(context) } }
        let timer = Task {
            try await clock.sleep(for: timeout)
            work.cancel()
        }
        defer { timer.cancel() }
        do {
            try await work.value
        } catch is CancellationError where work.isCancelled {
            throw RestClientError(
                .timeout,
                "the compensation '\(name)' did not end within \(timeout); see what became of it, or allow more"
            )
        }
    }
}

extension JobGraph {
    /// Takes back what a node did, by a request, when the run does not succeed.
    ///
    /// ```swift
    /// let charge = graph.request("charge", after: cart) { cart in RequestNode(.charge).requestModel(cart) }
    /// graph.undo("refund", of: charge) { receipt in RequestNode(.refund).parameter("id", receipt.id) }
    /// ```
    ///
    /// When the run fails, is cancelled or does not end in time, the effects of those nodes that succeeded are taken back:
    /// one after the other, the last to succeed first, after everything else has ended. Neither the cancellation nor the
    /// time limit of the run stops that. A compensation that fails is noted in ``GraphRun/compensations``, and the others
    /// are run all the same.
    ///
    /// - Parameters:
    ///   - name: The name of the compensation, which nothing else in the graph may have.
    ///   - node: The node whose effect is taken back.
    ///   - timeout: How long it may take; any time by default.
    ///   - make: Makes the request from the result of the node.
    public mutating func undo<Output: Sendable, Model: Sendable>(
        _ name: String,
        of node: JobHandle<Output>,
        timeout: Duration? = nil,
        _ make: @escaping @Sendable @concurrent (Output) async throws -> RequestNode<Model>
    ) {
        addCompensation(name, of: node, timeout) { context in
            _ = try await context.run(try await make(context.value(of: node)))
        }
    }

    /// Takes back what a node did, by work of your own, when the run does not succeed.
    ///
    /// See ``undo(_:of:timeout:_:)`` for when it runs.
    ///
    /// - Parameters:
    ///   - name: The name of the compensation, which nothing else in the graph may have.
    ///   - node: The node whose effect is taken back.
    ///   - timeout: How long it may take; any time by default. Work that ignores its cancellation is given up then.
    ///   - work: The work; it is handed the result of the node.
    public mutating func undoLocally<Output: Sendable>(
        _ name: String,
        of node: JobHandle<Output>,
        timeout: Duration? = nil,
        _ work: @escaping @Sendable @concurrent (Output) async throws -> Void
    ) {
        addCompensation(name, of: node, timeout) { context in
            let value = try context.value(of: node)
            try await context.run(LocalJob<Void>(name) { try await work(value) })
        }
    }

    private mutating func addCompensation<Output>(
        _ name: String,
        of node: JobHandle<Output>,
        _ timeout: Duration?,
        _ run: @escaping @Sendable @concurrent (NodeContext) async throws -> Void
    ) {
        guard holds(node) else {
            defects.append(Self.foreignHandle(node.name, namedBy: name, in: self.name))
            return
        }
        guard compensations[node.index] == nil else {
            defects.append(
                RestClientError(
                    .duplicateJobName,
                    "the node '\(node.name)' of the graph '\(self.name)' has two compensations, "
                        + "'\(compensations[node.index]?.name ?? "")' and '\(name)'; do both in one"
                )
            )
            return
        }
        claim(name)
        compensations[node.index] = Compensation(name: name, timeout: timeout, run: run)
    }
}
