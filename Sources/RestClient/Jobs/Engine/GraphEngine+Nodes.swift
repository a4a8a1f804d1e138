// SPDX-License-Identifier: MIT

extension GraphEngine {
    /// Does work that never waits, if it needs nothing but a worker slot and one is free; else returns `nil`.
    func runInline(
        _ context: NodeContext,
        _ body: @Sendable (NodeContext) throws -> any Sendable,
        _ slot: inout NodeSlot,
        at now: Duration
    ) -> NodeResult? {
        let node = context.index
        guard isPlain(node) else {
            return nil
        }
        guard program.nodes[node].kind == .local else {
            slot.giveBack()
            return announced(node) { named(NodeResult { try body(context) }, at: node) }
        }
        guard slot.serve(node, priority: priority(of: node), at: now) else {
            return nil
        }
        guard core.hub.isObserved else {
            return named(NodeResult { try body(context) }, at: node)
        }
        return announced(node) { announcedLocal(node) { named(NodeResult { try body(context) }, at: node) } }
    }

    /// Does the work of a local node that needs nothing but the slot that it has.
    func executeLocal(_ node: Int, in slot: inout NodeSlot) async -> NodeResult {
        // What is cancelled before it begins tells of no beginning.
        guard !Task.isCancelled else {
            return .cancelled
        }
        emit(.localJobStarted(name: program.nodes[node].name))
        let result: NodeResult
        do {
            let context = NodeContext(engine: self, index: node, deadline: settings.deadline)
            let value = try await slot.lend {
                switch program.nodes[node].body {
                case .immediate(let work): try work(context)
                case .suspending(let work): try await work(context)
                }
            }
            result = .success(value)
        } catch {
            result = named(NodeResult(of: error), at: node)
        }
        emit(.localJobEnded(program.nodes[node].name, result.outcome))
        return result
    }

    /// Does the work of a node that may wait, and whose beginning was told.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - now: The time, on the manager's clock.
    /// - Returns: How it ended, and what it left for the report.
    func execute(_ node: Int, at now: Duration) async -> (NodeResult, JobNote?) {
        let options = program.options.isEmpty ? nil : program.options[node]
        var context = NodeContext(engine: self, index: node, deadline: settings.deadline)
        do {
            if settings.session == nil, options?.isPlain ?? true {
                context.note = program.leavesNote(node) ? JobNote() : nil
                return (.success(try await context.work(since: now)), context.finalNote)
            }
            let note = JobNote()
            context.note = note
            return (.success(try await execute(context, options ?? JobOptions(), at: now)), context.finalNote)
        } catch {
            return (named(NodeResult(of: error), at: node), context.finalNote)
        }
    }

    /// Does the work of a node with a time limit, attempts or mutex keys, or of a run with a journal.
    private func execute(
        _ context: NodeContext,
        _ options: JobOptions,
        at now: Duration
    ) async throws -> any Sendable {
        guard let timeout = options.timeout else {
            return try await NodeExecution(context: context, options: options).run()
        }
        var context = context
        context.deadline = min(now + timeout, context.deadline ?? now + timeout)
        let timer = Task { [core, node = context.index] in
            if (try? await core.clock.sleep(for: timeout)) != nil {
                self.expire(node, after: timeout)
            }
        }
        defer { timer.cancel() }
        return try await NodeExecution(context: context, options: options).run()
    }

    /// The same result; an error of the library's says in which node it happened.
    private func named(_ result: NodeResult, at node: Int) -> NodeResult {
        guard case .failure(let failure) = result, var error = failure as? RestClientError,
            case .graph = program.announcement
        else {
            return result
        }
        let name = program.nodes[node].name
        if let inner = error.node {
            // One that is passed on happened where it says; one from a graph inside is told from out here.
            error.node = program.nodes[node].kind == .graph ? "\(name)/\(inner)" : inner
        } else {
            error.node = name
        }
        return .failure(error)
    }
}
