// SPDX-License-Identifier: MIT

import Synchronization

/// Runs a graph once, from its checks to its report.
struct GraphRunner: Sendable {
    let graph: JobGraph
    let engine: GraphEngine

    /// Checks the graph; nothing is begun.
    init(_ graph: JobGraph, host: JobHost, settings: GraphEngine.Settings) throws(JobGraphError) {
        self.graph = graph
        var program = try graph.program()
        if settings.session != nil {
            for edge in graph.edges {
                program.sources[Int(edge.to), default: []].append(Int(edge.from))
            }
        }
        engine = GraphEngine(program, host: host, settings: settings)
    }

    /// Checks the graph; nothing is begun.
    init(
        _ graph: JobGraph,
        host: JobHost,
        options: RunOptions,
        session: JournalSession? = nil
    ) throws(JobGraphError) {
        var settings = GraphEngine.Settings(onFailure: options.onFailure)
        settings.deadline = options.timeout.map { host.runtime.clock.now() + $0 }
        settings.seed = options.seed ?? settings.seed
        settings.session = session
        try self.init(graph, host: host, settings: settings)
    }

    /// Runs the graph, or takes back the rest of an earlier run; ends when every node has.
    ///
    /// - Parameters:
    ///   - rest: What is left to take back of an earlier run.
    ///   - conclude: What belongs to the run and comes last; it may change how the run ended.
    /// - Returns: How the run ended.
    func run(
        _ rest: Rest? = nil,
        conclude: (GraphRun) async -> GraphRun = { $0 }
    ) async -> GraphRun {
        engine.announceStart()
        let ended = if let rest { await takeBack(rest) } else { await runForward() }
        let run = await conclude(ended)
        engine.announceEnd(isSuccess: run.isSuccess)
        return run
    }

    private func runForward() async -> GraphRun {
        await engine.run()
        let status = engine.state.withLock { GraphRun.Status($0) }
        let compensations = status == .success ? [] : await compensate(status)
        return GraphRun(graph, engine, status: status, compensations: compensations)
    }
}
