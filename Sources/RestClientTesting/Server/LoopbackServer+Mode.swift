// SPDX-License-Identifier: MIT

extension LoopbackServer {
    /// What a server speaks.
    public enum Mode: Sendable {
        /// HTTP/1.1 without TLS.
        case http1
        /// HTTP/1.1 over TLS.
        case https1(TestIdentity)
        /// HTTP/2 over TLS, and HTTP/1.1 with clients that do not ask for HTTP/2 (by ALPN).
        case http2(TestIdentity)
        /// HTTP/2 over TLS; other clients are turned away.
        case http2Only(TestIdentity)

        /// Whom the server claims to be; `nil` without TLS.
        public var identity: TestIdentity? {
            switch self {
            case .http1: nil
            case .https1(let identity), .http2(let identity), .http2Only(let identity): identity
            }
        }

        /// The names ALPN has for what the server speaks, most wanted first.
        var protocols: [String] {
            switch self {
            case .http1, .https1: ["http/1.1"]
            case .http2: ["h2", "http/1.1"]
            case .http2Only: ["h2"]
            }
        }
    }

    /// The limits of a server and what it asks of clients.
    public struct Options: Sendable {
        /// How many HTTP/2 streams a connection may have open at a time.
        ///
        /// The default is 100.
        public var maximumConcurrentStreams = 100
        /// Whose certificate a client must show in the TLS handshake.
        ///
        /// The default is that it need not show any.
        public var requiredClient: TestIdentity?

        /// Creates the default options.
        public init() {}
    }
}

extension LoopbackServer.Mode: CustomStringConvertible {
    /// The protocols, for the name of a test that runs in several modes.
    public var description: String {
        switch self {
        case .http1: "HTTP/1.1"
        case .https1: "HTTP/1.1 over TLS"
        case .http2: "HTTP/2 or HTTP/1.1 over TLS"
        case .http2Only: "HTTP/2 over TLS"
        }
    }
}
