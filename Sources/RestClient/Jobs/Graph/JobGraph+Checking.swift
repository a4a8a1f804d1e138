// SPDX-License-Identifier: MIT

extension JobGraph {
    /// Checks the structure: circles, names given twice, handles of another graph, in this graph and in those inside.
    ///
    /// Every run does this before the first byte is sent.
    ///
    /// - Throws: The first of the ``defectsFound``: a ``RestClientError`` with the code
    ///   ``RestClientError/Code-swift.struct/unknownJobHandle``, ``RestClientError/Code-swift.struct/duplicateJobName`` or
    ///   ``RestClientError/Code-swift.struct/graphCycle``, which names the nodes.
    public func check() throws(RestClientError) {
        if let defect = defectsFound.first {
            throw defect
        }
    }

    /// Everything that is wrong with the structure; empty when all is well.
    public var defectsFound: [RestClientError] {
        var found = defects + duplicates
        // Handles exist only after their nodes, so that only an edge that leads back can close a circle.
        if edges.contains(where: { $0.from >= $0.to }), let cycle = topology.cycle {
            let names = (cycle + cycle.prefix(1)).map { "'\(nodes[$0].name)'" }
            found.append(
                RestClientError(
                    .graphCycle,
                    "nodes of the graph '\(name)' wait for each other: \(names.joined(separator: " → ")); "
                        + "remove one of the edges"
                )
            )
        }
        for (index, graph) in subgraphs.sorted(by: { $0.key < $1.key }) {
            found += graph.defectsFound.map { $0.inside(nodes[index].name) }
        }
        return found
    }

    private var duplicates: [RestClientError] {
        repeatedNames.map { duplicate in
            RestClientError(
                .duplicateJobName,
                "the graph '\(name)' has two nodes with the name '\(duplicate)'; give each a name of its own"
            )
        }
    }

    /// Who waits for whom.
    var topology: JobTopology { JobTopology(count: nodes.count, edges: edges) }

    /// What an engine runs.
    ///
    /// - Throws: What is wrong with the structure.
    func program() throws(RestClientError) -> GraphProgram {
        try check()
        return GraphProgram(
            nodes: nodes,
            topology: topology,
            options: options,
            handled: handled,
            compensations: compensations,
            announcement: .graph(name: name)
        )
    }
}

extension RestClientError {
    /// The same error, told from outside of a sub-graph.
    fileprivate func inside(_ node: String) -> RestClientError {
        RestClientError(code, "\(message) (in the sub-graph '\(node)')")
    }
}
