// SPDX-License-Identifier: MIT

import NIOCore
import NIOWebSocket
import RestClient

extension ChannelLink {
    /// Sends the request of a handshake.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - transport: The transport of the manager, whose settings hold unless the options say others.
    ///   - options: The options of the connection.
    ///   - pause: Waits on the clock of the manager.
    /// - Returns: The response; one that agrees has the connection as its stream.
    /// - Throws: ``/RestClient/RestClientError``, or `CancellationError` if the task is cancelled.
    static func open(
        _ request: TransportRequest,
        _ transport: any Transport,
        _ options: WebSocketOptions,
        pause: @escaping Pause
    ) async throws -> RawResponse {
        guard let wire = try options.wire?.transport ?? (transport as? any UpgradingTransport)?.upgrades else {
            throw RestClientError(
                .transportFailed,
                "\(type(of: transport)) cannot open WebSockets; set the connections of .webSocketOptions(_:), which "
                    + "hold the trust and the time limit, or use a dummy"
            )
        }
        let key = HandshakeRules.makeKey()
        var request = request
        request.headers = try HandshakeRules.fields(
            request.headers,
            key: key,
            offered: options.subprotocols,
            offersCompression: options.offersCompression
        )
        let url = request.url
        return try await wire.upgrade(request) { fields, channel in
            let terms = try HandshakeRules.check(
                fields,
                key: key,
                offered: options.subprotocols,
                offersCompression: options.offersCompression
            )
            let host = (try? HTTPURL(sent: url))?.authority ?? url
            let link = ChannelLink(channel, options, host: host, pause: pause)
            // Frames are read only as fast as they are taken.
            try channel.syncOptions?.setOption(.autoRead, value: false)
            try channel.pipeline.syncOperations.addHandlers([
                WebSocketFrameEncoder(),
                ByteToMessageHandler(
                    WebSocketFrameDecoder(maxFrameSize: min(max(125, options.messageLimit), Int(UInt32.max)))
                ),
                link.makeHandler(codec: try terms.map { try MessageCodec($0) }) {
                    TransportFailure.error(for: $0, url: url)
                },
            ])
            link.keepAlive()
            return link
        }
    }
}
