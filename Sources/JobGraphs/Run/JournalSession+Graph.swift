// SPDX-License-Identifier: MIT

extension JournalSession {
    /// Rejects a graph that has no node for work whose outcome is unknown: the work of a node that was renamed would be
    /// done again, and that of one that was removed would be forgotten.
    func check(_ graph: JobGraph) throws(JobGraphError) {
        // To treat work as done, nothing has to be known of it.
        guard ledger.journal.unknownOutcome != .treatAsDone else {
            return
        }
        for (key, record) in ledger.undecided {
            try check(graph, at: path, key, record)
        }
    }

    private func check(
        _ graph: JobGraph,
        at path: JournalPath,
        _ key: String,
        _ record: JournalRecord
    ) throws(JobGraphError) {
        guard let owner = path.owner(of: key) else {
            return
        }
        guard let node = graph.nodes.firstIndex(where: { path.node($0.name).key == owner.key }),
            !owner.isElement || graph.nodes[node].kind == .forEach
        else {
            throw unknown(
                record,
                "and the graph '\(graph.name)' has no such node; nothing was done. Run a graph that has it, or find out "
                    + "its outcome and call journals.markDone or journals.markNotDone, which count for a node of this "
                    + "name: one of another name would do the work again"
            )
        }
        if let inner = graph.subgraphs[node] {
            try check(inner, at: path.node(graph.nodes[node].name), key, record)
        }
    }
}
