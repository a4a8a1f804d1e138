// SPDX-License-Identifier: MIT

extension JobRunner {
    /// Runs a graph and waits for its end.
    ///
    /// A node that fails does not make this throw: the others' results are worth having. Ask the run for what you need,
    /// or call ``GraphRun/check()``.
    ///
    /// - Parameters:
    ///   - graph: What to run.
    ///   - options: Time limit, and what happens on failure.
    /// - Returns: How each node ended. When the task is cancelled, that is how the run ended too; it returns when the
    ///   jobs that ran have ended.
    /// - Throws: ``JobGraphError`` when the structure of the graph is wrong, see ``JobGraph/check()``; nothing has been
    ///   sent then.
    @concurrent
    public func run(_ graph: JobGraph, options: RunOptions = []) async throws -> GraphRun {
        await (try GraphRunner(graph, host: jobHost, options: options)).run()
    }

    /// Starts a graph and returns at once.
    ///
    /// - Parameters:
    ///   - graph: What to run.
    ///   - options: Time limit, and what happens on failure.
    /// - Returns: The run under way; it continues when the value is released.
    /// - Throws: ``JobGraphError`` when the structure of the graph is wrong, see ``JobGraph/check()``; nothing has been
    ///   sent then.
    @discardableResult
    public func start(_ graph: JobGraph, options: RunOptions = []) throws -> GraphExecution {
        let runner = try GraphRunner(graph, host: jobHost, options: options)
        return GraphExecution(runner) { await runner.run() }
    }
}
