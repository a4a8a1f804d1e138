// SPDX-License-Identifier: MIT

import HTTPTypes
public import JobGraphs

extension RequestNode: Job {
    /// Sends the call as a member of a group, as a step of a chain, or as a node of a graph.
    public func run(in context: JobContext) async throws -> Model {
        try await response(in: context).model
    }

    func response(in context: JobContext) async throws -> Response<Model> {
        try await response(in: context, context.unsafeWork.map { JournalPass($0.next()) })
    }

    func response(in context: JobContext, _ pass: JournalPass?) async throws -> Response<Model> {
        let core = context.manager.core
        var node = self
        if let deadline = context.deadline {
            // A call late in a run gets only the remaining time.
            node.options[.timeoutLimit] = max(.zero, deadline - core.clock.now())
        }
        if let priority = context.priority {
            node.options[.priority] = priority
        }
        node.options[.journalPass] = pass
        let runner = context.manager.runner
        do throws(CallFailure) {
            let (model, details) = try await runner.run(node, groupID: context.groupID, previous: context.previous)
            context.note?
                .update { note in
                    note.add(RequestDetail(details))
                    note.requestedDelay = details.raw.headers.retryDelay(at: core.now())
                }
            return Response(model: model, details: details)
        } catch {
            context.note?
                .update { note in
                    var attempt = AttemptFailure(error.error, cause: error.original, of: error.call, now: core.now())
                    attempt.takeRetry = error.call.flatMap(core.guards.retries)
                    note.failure = attempt
                    // An error that a handler derived lacks the request; any other error contains it.
                    note.add(error.hiddenCause.flatMap(RequestDetail.init))
                }
            throw error.error
        }
    }
}

protocol RequestDescribing {
    var specification: RequestSpecification { get }
}

extension RequestNode: RequestDescribing {}

extension RequestNode: RequestJob {
    package var label: String { RequestSummary(of: specification).label }
}
