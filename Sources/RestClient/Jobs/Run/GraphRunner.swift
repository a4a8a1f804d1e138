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
        let compensations = status == .success ? [] : await compensate()
        let run = GraphRun(graph, engine, status: status, compensations: compensations)
        engine.announceEnd(isSuccess: run.isSuccess)
        return run
    }

    /// Takes back what was done, the last first; in a task of its own, because the run's may be cancelled.
    private func compensate() async -> [GraphRun.CompensationResult] {
        let places = engine.state.withLock { $0.completed.reversed() }.filter { graph.compensations[$0] != nil }
        guard !places.isEmpty else {
            return []
        }
        return await Task { [graph, engine] in
            var results: [GraphRun.CompensationResult] = []
            for place in places {
                guard let compensation = graph.compensations[place] else {
                    continue
                }
                results.append(await Self.run(compensation, of: place, graph, engine))
            }
            return results
        }
        .value
    }

    private static func run(
        _ compensation: Compensation,
        of place: Int,
        _ graph: JobGraph,
        _ engine: GraphEngine
    ) async -> GraphRun.CompensationResult {
        let clock = engine.core.clock
        let started = clock.now()
        let context = NodeContext(
            engine: engine,
            index: place,
            note: nil,
            deadline: compensation.timeout.map { started + $0 }
        )
        let outcome = await JobOutcome<Void>.of { try await compensation.run(context) }
        return GraphRun.CompensationResult(
            name: compensation.name,
            node: graph.nodes[place].name,
            outcome: outcome,
            started: started - engine.start,
            ended: clock.now() - engine.start
        )
    }
}
