// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

extension CallRunner {
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
            let response = try await head(of: context, Model.self)
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
