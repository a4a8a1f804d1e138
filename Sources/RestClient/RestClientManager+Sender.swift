// SPDX-License-Identifier: MIT

import RestEssentials

extension RestClientManager: CallSender {
    func perform<Model>(
        _ node: RequestNode<Model>,
        announced: CallBeginning?,
        early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails) {
        try await runner.run(node, announced: announced, early: early)
    }

    func start<Model>(
        _ node: RequestNode<Model>,
        priority: TaskPriority?,
        _ operation: @escaping @Sendable (CallBeginning) async -> Void
    ) -> RequestCall {
        runner.start(node, priority: priority, operation)
    }

    func stream<Model>(_ node: RequestNode<Model>) async throws -> StreamedResponse {
        try await runner.stream(node)
    }

    func open(_ specification: RequestSpecification, mapError: ErrorRewrite?) async throws -> StreamedResponse {
        try await runner.open(specification, mapError: mapError)
    }

    func reporter(of call: CallContext, to handlers: [ProgressSinks.Handler]) -> ProgressReporter {
        var sinks = call.options[.progress] ?? ProgressSinks()
        sinks.handlers += handlers
        return ProgressReporter(of: call.id, to: sinks, core.clock, emit: core.hub.progressEvents(of: call))
    }

    func upgrade<Model>(_ node: RequestNode<Model>, mapError: ErrorRewrite?) async throws -> UpgradedCall<Model> {
        try await runner.upgrade(node, mapError: mapError)
    }

    func series(of specification: RequestSpecification, _ model: Any.Type) -> CallSeries {
        CallSeries(
            try? resolve(specification).call,
            of: model,
            in: core.calls,
            clock: core.clock,
            ended: seriesEnd
        )
    }

    func transferSeries<Model>(of node: RequestNode<Model>) -> CallSeries {
        let beginning = runner.announce(node, nil)
        return CallSeries(
            try? runner.resolve(node.specification, beginning).call,
            of: StreamedResponse.self,
            in: core.calls,
            clock: core.clock,
            announced: beginning.id,
            ended: seriesEnd
        )
    }

    /// Emits the last event of a feed or a download.
    private var seriesEnd: CallSeries.Ended {
        { [core] call, end, cause in
            switch end {
            case .complete:
                let facts = call.facts
                let duration = core.clock.now() - call.start
                core.hub.emit(
                    .callSucceeded(status: facts.status, source: facts.source, duration: duration),
                    of: call
                )
            case .failed(let error) where !(error is CancellationError):
                core.hub.emit(.callFailed(error), of: call, cause: error is RestClientError ? nil : cause)
            case .failed, .cancelled:
                core.hub.emit(.callCancelled, of: call)
            }
        }
    }

    func mapped(_ error: any Error, by specification: RequestSpecification) -> any Error {
        let options = (try? resolve(specification))?.call.policy.options ?? specification.options
        return options.mapped(error)
    }

    var now: Date { core.now() }

    func pause(_ duration: Duration) async throws {
        try await core.clock.sleep(for: duration)
    }

    func emit(_ kind: @autoclosure () -> ClientEvent.Kind, of series: CallSeries) {
        core.hub.emit(kind(), of: series.shared)
    }

    func resolve(_ specification: RequestSpecification) throws -> OutgoingRequest {
        try runner.resolve(specification, CallBeginning(id: .next(), start: core.clock.now())).request
    }
}

extension RequestNode {
    /// The manager that sends the node: the one that created it, otherwise the shared one.
    var sender: any CallSender { owner ?? RestClientManager.shared }
}
