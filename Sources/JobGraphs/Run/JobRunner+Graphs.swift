// SPDX-License-Identifier: MIT

extension JobRunner {
    /// Runs a graph and waits for its end.
    ///
    /// A failed node does not make this method throw, because the other results are still useful. Read the results that
    /// you need from the run, or call ``GraphRun/check()``.
    ///
    /// - Parameters:
    ///   - graph: The graph to run.
    ///   - options: The time limit, and the reaction to a failure.
    /// - Returns: The ended run. When the task is cancelled, the run is cancelled too, and the method returns when the
    ///   running jobs have ended.
    /// - Throws: ``JobGraphError`` when the structure of the graph is wrong, see ``JobGraph/check()``; nothing has been
    ///   sent in that case.
    @concurrent
    public func run(_ graph: JobGraph, options: RunOptions = []) async throws -> GraphRun {
        await (try GraphRunner(graph, host: jobHost, options: options)).run()
    }

    /// Starts a graph and returns at once.
    ///
    /// - Parameters:
    ///   - graph: The graph to run.
    ///   - options: The time limit, and the reaction to a failure.
    /// - Returns: The run under way; it continues when the value is released.
    /// - Throws: ``JobGraphError`` when the structure of the graph is wrong, see ``JobGraph/check()``; nothing has been
    ///   sent in that case.
    @discardableResult
    public func start(_ graph: JobGraph, options: RunOptions = []) throws -> GraphExecution {
        let runner = try GraphRunner(graph, host: jobHost, options: options)
        return GraphExecution(runner) { await runner.run() }
    }
}
