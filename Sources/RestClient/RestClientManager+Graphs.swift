// SPDX-License-Identifier: MIT

public import JobGraphs

extension RestClientManager {
    /// Predicts what a run of a graph would do, without sending anything.
    ///
    /// The requests of nodes without inputs are created, to look them up in the cache; requests that depend on inputs
    /// are not known before the run. A request with header providers is not looked up, because calling them may be
    /// costly.
    ///
    /// - Parameter graph: The graph.
    /// - Returns: The nodes in order, the longest path, and what the cache holds.
    /// - Throws: ``RestClientError`` when the structure of the graph is wrong, see ``/JobGraphs/JobGraph/check()``.
    @concurrent
    public func plan(_ graph: JobGraph) async throws -> GraphPlan {
        try graph.check()
        var cache: [Int: GraphPlan.CacheState] = [:]
        for (node, preview) in graph.previews {
            if let specification = (try? await preview() as? any RequestDescribing)?.specification {
                cache[node] = await cacheState(of: specification)
            }
        }
        return GraphPlan(graph, cache: cache)
    }

    private func cacheState(of specification: RequestSpecification) async -> GraphPlan.CacheState {
        guard let request = try? resolve(specification) else {
            return .unknown
        }
        let policy = request.call.policy
        guard policy.headerProviders.isEmpty, policy.authentication == nil else {
            return .unknown
        }
        return await core.cache.inside(policy.isolation).responses.responds(to: request, now: core.now())
            ? .cached : .notCached
    }

    /// Lists the faults of a graph: in its structure, and in the requests of nodes without inputs.
    ///
    /// These requests are created and resolved, but not sent. Sub-graphs that are known before the run are checked too.
    ///
    /// Together with ``lint()``, which checks the registries, it finds unknown aliases before anything runs.
    ///
    /// - Parameter graph: The graph.
    /// - Returns: The faults; empty if there are none.
    @concurrent
    public func lint(_ graph: JobGraph) async -> [LintIssue] {
        graph.defectsFound.map { LintIssue(kind: .unsoundGraph, message: $0.message) }
            + (await requestIssues(of: graph))
    }

    private func requestIssues(of graph: JobGraph) async -> [LintIssue] {
        var issues: [LintIssue] = []
        for (node, preview) in graph.previews.sorted(by: { $0.key < $1.key }) {
            do {
                if let request = try await preview() as? any RequestDescribing {
                    _ = try resolve(request.specification)
                }
            } catch {
                let message = (error as? RestClientError)?.message ?? Redaction.error(error)
                let kind = (error as? RestClientError)?.code.lintKind ?? .unresolvableRequest
                issues.append(
                    LintIssue(
                        kind: kind,
                        message: "the request '\(graph.nodes[node].name)' of '\(graph.name)': \(message)"
                    )
                )
            }
        }
        for (_, inside) in graph.subgraphs.sorted(by: { $0.key < $1.key }) {
            issues += await requestIssues(of: inside)
        }
        return issues
    }
}

extension RestClientError.Code {
    fileprivate var lintKind: LintIssue.Kind {
        switch self {
        case .unknownServer, .unknownAPI, .unknownDogma: .unknownAlias
        case .invalidServerAddress: .invalidServerAddress
        case .invalidPathTemplate: .invalidPathTemplate
        default: .unresolvableRequest
        }
    }
}
