// SPDX-License-Identifier: MIT

extension LoopbackServer {
    /// The protocols of a server.
    public enum Mode: Sendable {
        /// HTTP/1.1 without TLS.
        case http1
        /// HTTP/1.1 over TLS.
        case https1(TestIdentity)
        /// HTTP/2 over TLS, and HTTP/1.1 with clients that do not request HTTP/2 by ALPN.
        case http2(TestIdentity)
        /// HTTP/2 over TLS. Other clients are rejected.
        case http2Only(TestIdentity)

        package var identity: TestIdentity? {
            switch self {
            case .http1: nil
            case .https1(let identity), .http2(let identity), .http2Only(let identity): identity
            }
        }

        var protocols: [String] {
            switch self {
            case .http1, .https1: ["http/1.1"]
            case .http2: ["h2", "http/1.1"]
            case .http2Only: ["h2"]
            }
        }
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
