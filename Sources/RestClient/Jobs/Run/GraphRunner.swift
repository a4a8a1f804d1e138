// SPDX-License-Identifier: MIT

import Synchronization

/// Runs a graph once, from its checks to its report.
struct GraphRunner: Sendable {
    let graph: JobGraph
    let engine: GraphEngine

    /// Checks the graph; nothing is begun.
    init(_ graph: JobGraph, manager: RestClientManager, settings: GraphEngine.Settings) throws(RestClientError) {
        self.graph = graph
        var program = try graph.program()
        if settings.session != nil {
            for edge in graph.edges {
                program.sources[Int(edge.to), default: []].append(Int(edge.from))
            }
        }
        engine = GraphEngine(program, manager: manager, settings: settings)
    }

    /// Checks the graph; nothing is begun.
    init(
        _ graph: JobGraph,
        manager: RestClientManager,
        options: RunOptions,
        session: JournalSession? = nil
    ) throws(RestClientError) {
        var settings = GraphEngine.Settings(onFailure: options.onFailure)
        settings.deadline = options.timeout.map { manager.core.clock.now() + $0 }
        settings.seed = options.seed ?? settings.seed
        settings.session = session
        try self.init(graph, manager: manager, settings: settings)
    }

    /// Runs the graph; ends when every node has.
    func run() async -> GraphRun {
        engine.announceStart()
        await engine.run()
        let status = engine.state.withLock { GraphRun.Status($0) }
        let compensations = status == .success ? [] : await compensate(status)
        let run = GraphRun(graph, engine, status: status, compensations: compensations)
        engine.announceEnd(isSuccess: run.isSuccess)
        return run
    }
}
