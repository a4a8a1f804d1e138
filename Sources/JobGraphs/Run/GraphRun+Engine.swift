// SPDX-License-Identifier: MIT

import Synchronization

extension GraphRun {
    init(
        _ graph: JobGraph,
        _ engine: GraphEngine,
        status: RunReport.Outcome,
        compensations: [CompensationResult],
        cause: (any Error)? = nil
    ) {
        self.init(
            graph,
            id: engine.id,
            name: graph.name,
            status: status,
            startedAt: engine.startedAt,
            duration: engine.runtime.clock.now() - engine.start,
            compensations: compensations,
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
