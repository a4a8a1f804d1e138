// SPDX-License-Identifier: MIT

import RestEssentials

extension RestClientManager: RequestSender {
    func perform<Model>(
        _ node: RequestNode<Model>,
        announced: CallContext.Beginning?,
        early: EarlyDelivery<Model>?
    ) async throws -> (model: Model, details: ResponseDetails) {
        do throws(CallFailure) {
            return try await runner.run(node, announced: announced, early: early)
        } catch {
            throw error.error
        }
    }

    func start<Model>(
        _ node: RequestNode<Model>,
        priority: TaskPriority?,
        _ operation: @escaping @Sendable (CallContext.Beginning) async -> Void
    ) -> RequestCall {
        runner.start(node, priority: priority, operation)
    }

    func stream<Model>(_ node: RequestNode<Model>) async throws -> StreamedResponse {
        do throws(CallFailure) {
            return try await runner.stream(node)
        } catch {
            throw error.error
        }
    }

    func open(_ specification: RequestSpecification) async throws(CallFailure) -> StreamedResponse {
        try await runner.open(specification, mapError: nil)
    }

    func reporter(of call: CallContext, to handlers: [ProgressSinks.Handler]) -> ProgressReporter {
        var sinks = call.options[.progress] ?? ProgressSinks()
        sinks.handlers += handlers
        return ProgressReporter(of: call.id, to: sinks, core.clock, emit: core.hub.progressEvents(of: call))
    }

    func upgrade<Model>(_ node: RequestNode<Model>) async throws -> UpgradedCall<Model> {
        do throws(CallFailure) {
            return try await runner.upgrade(node)
        } catch {
            throw error.error
        }
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
            try? runner.prepare(node.specification, beginning),
            of: StreamedResponse.self,
            in: core.calls,
            clock: core.clock,
            announced: beginning.id,
            ended: seriesEnd
        )
    }

    /// Emits the last event of a feed or a download.
    private var seriesEnd: CallSeries.Ended {
        { [core] call, end in
            switch end {
            case .complete:
                let facts = call.facts
                let duration = core.clock.now() - call.start
                core.hub.emit(
                    .callSucceeded(status: facts.status, source: facts.source, duration: duration),
                    of: call
                )
            case .failed(let error):
                let failure = CallFailure(error)
                core.hub.emit(
                    failure.error is CancellationError ? .callCancelled : .callFailed(failure.error),
                    of: call,
                    cause: failure.hiddenCause
                )
            case .cancelled:
                core.hub.emit(.callCancelled, of: call)
            }
        }
    }

    func failure(
        _ error: any Error,
        of specification: RequestSpecification,
        _ mapError: ErrorRewrite?
    ) async -> CallFailure {
        let options = (try? resolve(specification))?.call.policy.options ?? specification.options
        return CallFailure(options.mapped(await mapError?(error) ?? error), original: error)
    }

    var now: Date { core.now() }

    var instant: Duration { core.clock.now() }

    func pause(_ duration: Duration) async throws {
        try await core.clock.sleep(for: duration)
    }

    func emit(_ kind: @autoclosure () -> ClientEvent.Kind, of series: CallSeries) {
        core.hub.emit(kind(), of: series.shared)
    }

    func resolve(_ specification: RequestSpecification) throws -> OutgoingRequest {
        try runner.prepare(specification, runner.begin(nil)).request
    }
}

extension RequestNode {
    /// The manager that sends the node: the one that created it, otherwise the shared one.
    var sender: any RequestSender { owner ?? RestClientManager.shared }
}
