// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// Runs a graph and waits for its end.
    ///
    /// A node that fails does not make this throw: the others' results are worth having. Ask the run for what you need, or
    /// call ``GraphRun/check()``.
    ///
    /// - Parameters:
    ///   - graph: What to run.
    ///   - options: Time limit, and what happens on failure.
    /// - Returns: How each node ended. When the task is cancelled, that is how the run ended too; it returns when the jobs
    ///   that ran have ended.
    /// - Throws: ``RestClientError`` when the structure of the graph is wrong, see ``JobGraph/check()``; nothing has been
    ///   sent then.
    @concurrent
    public func run(_ graph: JobGraph, options: RunOptions = []) async throws -> GraphRun {
        await (try GraphRunner(graph, manager: self, options: options)).run()
    }

    /// Starts a graph and returns at once.
    ///
    /// - Parameters:
    ///   - graph: What to run.
    ///   - options: Time limit, and what happens on failure.
    /// - Returns: The run under way; it goes on when nobody holds it.
    /// - Throws: ``RestClientError`` when the structure of the graph is wrong, see ``JobGraph/check()``; nothing has been
    ///   sent then.
    @discardableResult
    public func start(_ graph: JobGraph, options: RunOptions = []) throws -> GraphExecution {
        let runner = try GraphRunner(graph, manager: self, options: options)
        return GraphExecution(runner) { await runner.run() }
    }
}

// MARK: - Before a run

extension RestClientManager {
    /// Tells what a run of a graph would do, and sends nothing.
    ///
    /// The requests of nodes without inputs are made, to ask the cache about them; what those make that have inputs is not
    /// known before the run. A request with header providers is not looked up, because asking them may cost something.
    ///
    /// - Parameter graph: What would be run.
    /// - Returns: The nodes in order, the longest path, and what the cache would answer.
    /// - Throws: ``RestClientError`` when the structure of the graph is wrong, see ``JobGraph/check()``.
    @concurrent
    public func plan(_ graph: JobGraph) async throws -> GraphPlan {
        try graph.check()
        var cache: [Int: GraphPlan.CacheState] = [:]
        for (node, preview) in graph.previews {
            if let specification = try? await preview() {
                cache[node] = await cacheState(of: specification)
            }
        }
        return GraphPlan(graph, cache: cache)
    }

    private func cacheState(of specification: RequestSpecification) async -> GraphPlan.CacheState {
        guard let request = try? resolved(specification) else {
            return .unknown
        }
        let policy = request.call.policy
        guard policy.headerProviders.isEmpty, policy.authentication == nil else {
            return .unknown
        }
        return await core.cache.responses.responds(to: request, now: core.now()) ? .cached : .notCached
    }

    /// Lists what is wrong with a graph: its structure, and the requests of nodes without inputs.
    ///
    /// Those are made and resolved, but not sent. Graphs inside that are known before the run are looked through too.
    ///
    /// Together with ``lint()``, which looks through the registries, it finds unknown aliases before anything runs.
    ///
    /// - Parameter graph: What would be run.
    /// - Returns: The faults; none when all is well.
    @concurrent
    public func lint(_ graph: JobGraph) async -> [LintIssue] {
        graph.defectsFound.map { LintIssue(kind: .unsoundGraph, message: $0.message) }
            + (await requestIssues(of: graph))
    }

    private func requestIssues(of graph: JobGraph) async -> [LintIssue] {
        var issues: [LintIssue] = []
        for (node, preview) in graph.previews.sorted(by: { $0.key < $1.key }) {
            do {
                _ = try resolved(try await preview())
            } catch {
                let message = (error as? RestClientError)?.message ?? RunReport.words(for: error)
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

    private func resolved(_ specification: RequestSpecification) throws -> OutgoingRequest {
        try runner.resolve(specification, id: .next(), groupID: nil, start: core.clock.now()).request
    }
}

extension RestClientError.Code {
    /// What kind of fault the error is for ``RestClientManager/lint(_:)``.
    fileprivate var lintKind: LintIssue.Kind {
        switch self {
        case .unknownServer, .unknownAPI, .unknownDogma: .danglingKey
        case .invalidServerAddress: .invalidServerAddress
        case .invalidPathTemplate: .invalidPathTemplate
        default: .unresolvableRequest
        }
    }
}
