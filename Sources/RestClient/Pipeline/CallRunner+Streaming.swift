// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

extension CallRunner {
    /// Runs the call of a node up to the head of its response, and calls the node's handlers; the call ends with the
    /// body.
    func stream<Model>(_ node: RequestNode<Model>) async throws(CallFailure) -> StreamedResponse {
        guard node.hasHandlers, case let callbacks = node.handlers.callbacks, !callbacks.isEmpty else {
            return try await open(node.specification, mapError: node.errorMapper)
        }
        let beginning = announce(node, nil)
        let transfer = TransferCallbacks(callbacks) { [core] in core.calls.close(beginning.id) }
        var specification = node.specification
        if let report = transfer.report {
            specification.report(to: report)
        }
        await transfer.start()
        do throws(CallFailure) {
            return try await open(
                specification,
                mapError: node.errorMapper,
                announced: beginning,
                transfer: transfer
            )
        } catch {
            transfer.end(error.error, error.failureClass)
            await transfer.ended()
            throw error
        }
    }

    /// Runs a call up to the head of its response; the call ends with the body.
    func open(
        _ specification: RequestSpecification,
        mapError: ErrorRewrite?,
        announced: CallContext.Beginning? = nil,
        transfer: TransferCallbacks? = nil
    ) async throws(CallFailure) -> StreamedResponse {
        var specification = specification
        specification.isStreamed = true
        return try await open(specification, mapError, announced: announced) { call, context in
            let response = try await listed(context, StreamedResponse.self) { try await pipeline.send(context.request) }
            do {
                guard context.policy.acceptedStatuses.contains(response.status) else {
                    throw RestClientError.unacceptable(
                        try await response.collected(limit: context.policy.responseLimit)
                    )
                }
                try Task.checkCancellation()
                await invalidate(because: context)
                return streamed(response, call, context, specification, transfer)
            } catch {
                core.calls.leave(context)
                throw error
            }
        }
    }

    /// Runs a call up to where its result is handed over; `mapError` replaces the error of one that fails, but not that
    /// of a part of a series.
    func open<Result>(
        _ specification: RequestSpecification,
        _ mapError: ErrorRewrite?,
        announced: CallContext.Beginning? = nil,
        _ operation: (inout Call, CallContext) async throws -> Result
    ) async throws(CallFailure) -> Result {
        var call = Call(core: core, beginning: announced ?? begin(nil), series: specification.series)
        do {
            return try await traced(&call, specification, operation)
        } catch {
            guard let mapError, call.series == nil else {
                throw fail(call, error, specification)
            }
            let original = call.annotated(error, specification)
            throw fail(call, await mapError(original), original: original, specification)
        }
    }

    /// Returns the response of a call that ends with its body.
    private func streamed(
        _ response: RawResponse,
        _ call: Call,
        _ context: CallContext,
        _ specification: RequestSpecification,
        _ transfer: TransferCallbacks?
    ) -> StreamedResponse {
        call.series?.responded(response.status, response.source)
        var head = response
        head.stream = nil
        head.body = Data()
        let chunks = response.stream?.release() ?? WholeSource(response.body)
        let watched = WatchedSource(chunks, ended: watcher(of: call, context, specification, response, transfer))
        // From here on, to cancel the call is to end its body.
        context.cancellation?.waits(for: watched)
        let source: any ByteSource = if let transfer { TransferSource(watched, transfer) } else { watched }
        return StreamedResponse(
            head: head,
            bytes: ByteStream(source),
            callID: call.id,
            reader: context.policy.reader,
            mayHaveHadEffect: context.facts.unsafeCount > 0
        )
    }

    /// Returns what ends a call when its body or its connection has ended: removes it from the table of running calls,
    /// and emits its last event.
    func watcher(
        of call: Call,
        _ context: CallContext,
        _ specification: RequestSpecification,
        _ response: RawResponse,
        _ transfer: TransferCallbacks? = nil
    ) -> WatchedSource.Watcher {
        let (status, source) = (response.status, response.source)
        return { [self] end in
            core.calls.leave(context)
            context.cancellation?.stopsWaiting()
            let failure: CallFailure
            switch end {
            case .complete:
                let duration = core.clock.now() - call.beginning.start
                call.span?.end(.success(status, source, attempts: context.attempts))
                if let series = call.series {
                    series.left(context.timings)
                } else {
                    core.hub.emit(.callSucceeded(status: status, source: source, duration: duration), context)
                }
                transfer?.end(nil)
                return nil
            case .failed(let error):
                failure = fail(call, error, specification)
            case .cancelled:
                failure = fail(call, CancellationError(), specification)
            }
            transfer?.end(failure.error, failure.failureClass)
            return failure.error
        }
    }

    /// Runs a call up to the response that hands over its connection; the call ends with the connection.
    func upgrade<Model>(_ node: RequestNode<Model>) async throws(CallFailure) -> UpgradedCall<Model> {
        try await open(node.specification, node.errorMapper) { call, context in
            guard context.method == .get, context.prepared.body == nil else {
                throw RestClientError(
                    .bodyNotAllowed,
                    "a WebSocket is opened by a GET request without a body, not by \(context.method.rawValue); "
                        + "register its API with .get"
                )
            }
            let response = try await listed(context, Model.self) { try await pipeline.send(context.request) }
            do {
                return try upgraded(response, call, context, node)
            } catch {
                throw core.calls.leave(context) ? CancellationError() : error
            }
        }
    }

    private func upgraded<Model>(
        _ response: RawResponse,
        _ call: Call,
        _ context: CallContext,
        _ node: RequestNode<Model>
    ) throws -> UpgradedCall<Model> {
        guard context.policy.acceptedStatuses.contains(response.status) else {
            throw RestClientError.unacceptable(response, adding: ", and did not switch protocols")
        }
        guard let connection = response.stream?.release() else {
            throw RestClientError(
                .handshakeRefused,
                "the response switches protocols, but there is no connection behind it; dummies respond with "
                    + ".webSocket, and recordings need the messages of the connection",
                response: response
            )
        }
        context.cancellation?.waits(for: ConnectionEnd(connection))
        guard !context.isCancelled else {
            connection.cancel()
            throw CancellationError()
        }
        call.series?.responded(response.status, response.source)
        var head = response
        head.stream = nil
        return UpgradedCall(
            head,
            connection,
            context,
            context.prepared.coding,
            node.decoding,
            clock: core.clock,
            hub: core.hub,
            ended: watcher(of: call, context, node.specification, response)
        )
    }

    /// Closes a connection when its call is cancelled.
    private final class ConnectionEnd: CancellableWork {
        private let connection: any ByteSource

        init(_ connection: any ByteSource) {
            self.connection = connection
        }

        func cancel() {
            connection.cancel()
        }
    }
}
