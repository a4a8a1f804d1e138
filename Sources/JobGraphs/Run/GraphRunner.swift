// SPDX-License-Identifier: MIT

import Synchronization

struct GraphRunner: Sendable {
    let graph: JobGraph
    let engine: GraphEngine

    init(_ graph: JobGraph, host: JobHost, settings: GraphEngine.Settings) throws(JobGraphError) {
        self.graph = graph
        var program = try graph.program()
        if settings.session != nil {
            program.sources = graph.edges.sources
        }
        engine = GraphEngine(program, host: host, settings: settings)
    }

    init(
        _ graph: JobGraph,
        host: JobHost,
        options: RunOptions,
        session: JournalSession? = nil
    ) throws(JobGraphError) {
        var settings = GraphEngine.Settings()
        settings.onFailure = options.onFailure ?? settings.onFailure
        settings.deadline = options.timeout.map { host.runtime.clock.now() + $0 }
        settings.seed = options.seed ?? settings.seed
        settings.session = session
        settings.id = options.id
        try self.init(graph, host: host, settings: settings)
    }

    func run(
        _ rest: Rest? = nil,
        conclude: (GraphRun) async -> GraphRun = { $0 }
    ) async -> GraphRun {
        engine.enter()
        defer { engine.leave() }
        engine.announceStart()
        let span = engine.spans?.begin(graph.name, .graph(count: graph.nodes.count))
        let run = await span.surround {
            let ended = if let rest { await compensate(rest) } else { await runForward() }
            return await conclude(ended)
        }
        span?.end(TracedWork.End(run.status, run.failure))
        engine.announceEnd(run)
        return run
    }

    private func runForward() async -> GraphRun {
        await engine.run()
        let status = engine.outcome
        let compensations = status == .success || engine.isHalted ? [] : await compensate(status)
        return GraphRun(graph, engine, status: status, compensations: compensations)
    }
}

extension GraphRun {
    init(
        _ graph: JobGraph,
        _ engine: GraphEngine,
        status: RunReport.Outcome,
        compensations: [CompensationResult],
        cause: (any Error)? = nil
    ) {
        self.init(
            id: engine.id,
            name: graph.name,
            status: status,
            startedAt: engine.startedAt,
            duration: engine.runtime.clock.now() - engine.start,
            compensations: compensations,
            graph: graph,
            ending: engine.state.withLock { state in
                Ending(
                    records: state.records,
                    causes: state.machine.causes,
                    firstFailure: state.machine.firstFailure,
                    start: engine.start
                )
            },
            words: engine.runtime.words,
            cause: cause
        )
    }
}

extension JobGraph: GraphOutline {
    func name(of node: Int) -> String { nodes[node].name }

    func kind(of node: Int) -> JobKind { nodes[node].kind }

    func tags(of node: Int) -> [String] { options[node]?.tags ?? [] }
}
