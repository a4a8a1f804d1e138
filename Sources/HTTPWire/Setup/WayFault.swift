// SPDX-License-Identifier: MIT

/// The failure to get past a proxy; nothing of a request was sent but what is meant for the proxy.
package struct ProxyFault: Error {
    package enum Reason: Sendable {
        /// No connection to the proxy could be made.
        case unreachable(any Error)
        /// TLS with the proxy failed, or its certificate is not good enough.
        case insecure(any Error)
        /// The proxy closed the connection.
        case cut(underlying: (any Error)?)
        /// The proxy did not respond in time.
        case silent
        /// The proxy asks for credentials, or for others: 407, or the like in SOCKS.
        case unauthorized
        /// The proxy refuses the tunnel with another status.
        case refused(status: Int)
        /// The reply of the proxy is not one of HTTP.
        case notHTTP(ResponseDefect)
        /// The reply of the proxy is not one of SOCKS 5.
        case notSOCKS
        /// The proxy refuses the connection with a code of SOCKS 5 (RFC 1928, section 6).
        case socks(code: UInt8)
        /// The name of the origin is too long for SOCKS 5.
        case nameTooLong
    }

    package let proxy: WireProxy
    package let reason: Reason

    package init(_ proxy: WireProxy, _ reason: Reason) {
        self.proxy = proxy
        self.reason = reason
    }

    /// True if the next connection may do better.
    package var isTransient: Bool {
        switch reason {
        case .unreachable, .cut, .silent: true
        case .refused(let status): [408, 425, 429, 500, 502, 503, 504].contains(status)
        // General failure, network or host unreachable, connection refused, time to live expired.
        case .socks(let code): [1, 3, 4, 5, 6].contains(code)
        case .insecure, .unauthorized, .notHTTP, .notSOCKS, .nameTooLong: false
        }
    }
}

extension ProxyFault: CustomStringConvertible {
    /// The reason in words that follow the name of the proxy; without the reasons of the errors beneath.
    package var description: String {
        switch reason {
        case .unreachable: "cannot be reached"
        case .insecure: "is not trusted"
        case .cut: "closed the connection before it led to the server"
        case .silent: "did not respond in time"
        case .unauthorized: proxy.user == nil ? "asks for a user and a password" : "refuses the user or the password"
        case .refused(let status): "refused the tunnel with \(status)"
        case .notHTTP(let defect): "did not reply in HTTP: \(defect)"
        case .notSOCKS: "did not reply in SOCKS 5"
        case .socks(let code): "refused the connection: \(Self.words(code))"
        case .nameTooLong: "takes no name of more than 255 bytes"
        }
    }

    private static func words(_ code: UInt8) -> String {
        switch code {
        case 1: "it failed"
        case 2: "its rules forbid it"
        case 3: "it cannot reach the network"
        case 4: "it cannot reach the server"
        case 5: "the server refused it"
        case 6: "the server did not respond to it"
        case 7: "it makes no connections"
        case 8: "it does not know this kind of address"
        default: "it gives the unknown code \(code)"
        }
    }
}

/// The failure to reach an origin on a way that its URL does not tell.
package struct WayFault: Error {
    package let way: WireWay
    package let underlying: any Error
}

/// The failure of a lookup in place of the system's.
package struct LookupFault: Error {
    /// The error of the lookup; `nil` if it returned no address, or what is none.
    package let underlying: (any Error)?
    /// The text that is no address; `nil` if the fault is another one.
    package let text: String?
}
