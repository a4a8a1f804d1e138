// SPDX-License-Identifier: MIT

/// A run of a ``JobGraph`` that is under way: it can be observed, and cancelled in whole or in part.
///
/// ```swift
/// let execution = try runtime.start(graph)
/// for await progress in execution.progress { bar.show(progress.fraction) }
/// let run = await execution.finished()
/// ```
///
/// The run continues after this value is released.
public struct GraphExecution: Sendable {
    private let graph: JobGraph
    private let engine: GraphEngine
    private let task: Task<GraphRun, Never>

    init(_ runner: GraphRunner, _ run: @escaping @Sendable @concurrent () async -> GraphRun) {
        graph = runner.graph
        engine = runner.engine
        task = Task { await run() }
    }

    /// Identifies the run; the events of its calls and jobs carry it.
    public var id: GroupID { engine.id }

    /// The progress of the run: the current value, then each change, until every node has ended.
    ///
    /// A slow reader skips intermediate values and always receives the latest one.
    public var progress: some AsyncSequence<GraphProgress, Never> & Sendable { GraphProgress.Updates(engine: engine) }

    /// Waits for the end of the run.
    ///
    /// Cancelling the waiting task does not cancel the run.
    ///
    /// - Returns: The ended run.
    public func finished() async -> GraphRun {
        await task.value
    }

    /// Cancels the run: nodes that have not begun are not run, and running ones are cancelled.
    ///
    /// Calling it again does nothing.
    public func cancel() {
        task.cancel()
    }

    /// Cancels one node; those that need its result are skipped.
    ///
    /// Nothing happens if the node has ended.
    ///
    /// - Parameter handle: The handle of the node. A handle of another graph is ignored.
    public func cancel<Output>(_ handle: JobHandle<Output>) {
        if graph.holds(handle) {
            engine.cancel(handle.index)
        }
    }

    /// Cancels a node and all nodes that depend on it.
    ///
    /// - Parameter handle: The handle of the node. A handle of another graph is ignored.
    public func cancelBranch<Output>(from handle: JobHandle<Output>) {
        if graph.holds(handle) {
            engine.cancelBranch(from: handle.index)
        }
    }
}
