// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

extension CallRunner {
    /// Runs a call up to the response that hands over its connection; the call ends with the connection.
    ///
    /// - Parameter node: The request.
    /// - Returns: The call.
    /// - Throws: The failure, with ``RestClientError``, an error of the user's own code, or `CancellationError`.
    func upgrade<Model>(_ node: RequestNode<Model>) async throws(CallFailure) -> UpgradedCall<Model> {
        try await open(node.specification, node.errorMapper) { call, resolved in
            guard resolved.request.method == .get, resolved.request.body == nil else {
                throw RestClientError(
                    .bodyNotAllowed,
                    "a WebSocket is opened by a GET request without a body, not by \(resolved.request.method.rawValue); "
                        + "register its API with .get"
                )
            }
            let context = resolved.call
            let cancellation = CallCancellation()
            try core.calls.enter(context, Model.self, cancellation)
            do {
                return try await upgrade(call, resolved, node, cancellation)
            } catch {
                core.calls.leave(context)
                throw cancellation.isCancelled ? CancellationError() : error
            }
        }
    }

    private func upgrade<Model>(
        _ call: Call,
        _ resolved: ResolvedRequest,
        _ node: RequestNode<Model>,
        _ cancellation: CallCancellation
    ) async throws -> UpgradedCall<Model> {
        let response = try await cancellation.waits(for: { [pipeline] in try await pipeline.send(resolved.request) })
        guard resolved.call.policy.acceptedStatuses.contains(response.status) else {
            throw RestClientError(
                .unacceptableStatus,
                "the server responded with \(Redaction.status(response.status)), and did not switch protocols",
                response: response
            )
        }
        guard let connection = response.stream?.release() else {
            throw RestClientError(
                .handshakeRefused,
                "the response switches protocols, but there is no connection behind it; dummies respond with "
                    + ".webSocket, and recordings need the messages of the connection",
                response: response
            )
        }
        cancellation.waits(for: ConnectionEnd(connection))
        guard !Task.isCancelled, !cancellation.isCancelled else {
            connection.cancel()
            throw CancellationError()
        }
        return upgraded(response, connection, call, resolved, node)
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

    private func upgraded<Model>(
        _ response: RawResponse,
        _ connection: any ByteSource,
        _ call: Call,
        _ resolved: ResolvedRequest,
        _ node: RequestNode<Model>
    ) -> UpgradedCall<Model> {
        call.series?.responded(response.status, response.source)
        var head = response
        head.stream = nil
        return UpgradedCall(
            head,
            connection,
            resolved.call,
            resolved.coding,
            node.decoding,
            clock: core.clock,
            hub: core.hub,
            ended: watcher(of: call, resolved.call, node.specification, response)
        )
    }
}
