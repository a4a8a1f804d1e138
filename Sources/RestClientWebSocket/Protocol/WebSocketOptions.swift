// SPDX-License-Identifier: MIT

public import RestClient

/// Limits, times and subprotocols of WebSockets.
public struct WebSocketOptions: Sendable {
    /// The form in which a model is sent.
    public enum Format: String, Sendable, Hashable {
        /// As text if the dogma's media type is one, like JSON; `Data` as bytes, `String` as text.
        case automatic
        /// As text.
        case text
        /// As bytes.
        case binary
    }

    /// The subprotocols to offer, the preferred one first; none by default.
    ///
    /// A server that chooses another one is refused.
    public var subprotocols: [String] = []

    /// The maximum number of bytes of a message of the server; 16 MiB by default.
    ///
    /// A `limits(body:)` that a level sets holds for each message besides.
    public var messageLimit = 16 << 20

    /// In how many fragments a message of the server may come; 16,384 by default.
    package var fragmentLimit = 16_384

    /// The number of bytes taken ahead of the consumer before the connection is no longer read; 256 KiB by default.
    public var aheadLimit = 256 << 10

    /// Into fragments of how many bytes own messages are cut; `nil`, the default, cuts none.
    package var fragmentSize: Int?

    /// A Boolean value that offers the server to compress messages (RFC 7692); `false` by default.
    ///
    /// A connection that both sides compress needs some 300 KB more memory. Do not compress messages that mix a secret
    /// with text of others: their length would then reveal a part of the secret.
    public var offersCompression = false

    /// The form in which models are sent; by the dogma's media type by default.
    public var format = Format.automatic

    /// The time between two pings, which keep the connection open and find out that it is dead; 20 seconds by default,
    /// `nil` for no pings.
    public var pingInterval: Duration? = .seconds(20)

    /// The time for which the server may be silent after a ping; 20 seconds by default.
    ///
    /// Time in which the consumer is behind, so that nothing is read, does not count.
    public var pongTimeout: Duration = .seconds(20)

    /// The time in which the server must respond to a close before the connection is cut; 5 seconds by default.
    public var closeTimeout: Duration = .seconds(5)

    /// The time limit for connecting, and the trust; those of the manager's transport by default.
    ///
    /// A manager with a transport of your own has to say them here: WebSockets do not use that transport.
    public var connections: DirectTransport.Configuration? {
        didSet { wire = connections.map { LazyTransport($0) } }
    }

    /// The transport with these connections, which all copies share.
    private(set) var wire: LazyTransport?

    /// Creates the default options.
    public init() {}
}

extension CallConfigurable {
    /// Sets limits, times and subprotocols of WebSockets; those of ``WebSocketOptions`` when no level sets them.
    ///
    /// - Parameter options: The options, as a whole.
    /// - Returns: A changed copy.
    public consuming func webSocketOptions(_ options: WebSocketOptions) -> Self {
        self.option(.webSocket, options)
    }
}

extension CallOptionKey<WebSocketOptions> {
    static var webSocket: Self { Self("WebSocket") }
}
