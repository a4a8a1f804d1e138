// SPDX-License-Identifier: MIT

import SharedStore

extension JobGraph {
    /// Checks the structure of this graph and its sub-graphs: cycles, duplicate names, and handles of another graph.
    ///
    /// Every run does this before it sends anything.
    ///
    /// - Throws: The first defect: a ``JobGraphError`` with the code
    ///   ``JobGraphError/Code-swift.struct/unknownJobHandle``, ``JobGraphError/Code-swift.struct/duplicateJobName`` or
    ///   ``JobGraphError/Code-swift.struct/graphCycle``, which names the nodes.
    public func check() throws(JobGraphError) {
        if let defect = defectsFound.first {
            throw defect
        }
    }

    package var defectsFound: [JobGraphError] {
        var found = defects
        for duplicate in repeatedNames {
            found.append(
                JobGraphError(
                    .duplicateJobName,
                    "the graph '\(name)' has two nodes with the name '\(duplicate)'; give each node a different name"
                )
            )
        }
        // Handles exist only after their nodes, so only an edge that points backwards can close a cycle.
        if edges.contains(where: { $0.from >= $0.to }), let cycle = topology.cycle {
            let names = (cycle + cycle.prefix(1)).map { "'\(nodes[$0].name)'" }
            found.append(
                JobGraphError(
                    .graphCycle,
                    "nodes of the graph '\(name)' wait for each other: \(names.joined(separator: " → ")); "
                        + "remove one of the edges"
                )
            )
        }
        for (index, graph) in subgraphs.sorted(by: { $0.key < $1.key }) {
            found += graph.defectsFound.map { defect in
                JobGraphError(defect.code, "\(defect.message) (in the sub-graph '\(nodes[index].name)')")
            }
        }
        return found
    }

    package var topology: JobTopology { JobTopology(count: nodes.count, edges: edges) }

    /// Rejects results that cannot be stored, or not without being sealed.
    func checkResults(for journal: RunJournal) throws(JobGraphError) {
        let unfit = nodes.filter { !ResultCoding.canStore($0.output) }
        guard unfit.isEmpty else {
            let list = unfit.prefix(5).map { "'\($0.name)' has a result of type \($0.output)" }.joined(separator: ", ")
            throw JobGraphError(
                .resultNotCodable,
                "the journal '\(journal.name)' cannot keep the results of the graph '\(name)': \(list); make them Codable"
            )
        }
        if !journal.codec.isSealed, let node = nodes.first(where: { ResultCoding.isCredential($0.output) }) {
            throw JobGraphError.secret("the result of '\(node.name)', a \(node.output),", in: journal.name)
        }
        for graph in subgraphs.values {
            try graph.checkResults(for: journal)
        }
    }

    func program() throws(JobGraphError) -> GraphProgram {
        try check()
        var program = GraphProgram(nodes: nodes, topology: topology, name: name)
        program.options = options
        program.handled = handled
        program.compensations = compensations
        return program
    }
}
