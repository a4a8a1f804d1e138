// SPDX-License-Identifier: MIT

package import NIOCore
package import NIOPosix
package import NIOSSL

/// Time limits, connections and trust of a client.
package struct WireConfiguration: Sendable {
    /// The time limit for making a connection, TLS included.
    package var connectTimeout = TimeAmount.seconds(10)
    /// The time for which an unused connection is kept.
    package var idleTimeout = TimeAmount.seconds(60)
    /// The age at which a connection carries no further exchange; any if `nil`.
    package var maximumAge: TimeAmount?
    /// The maximum number of connections to one origin that are open at once.
    package var connectionsPerOrigin = 256
    /// The maximum number of connections of HTTP/2 to one origin that take requests at once; another one is made only
    /// once the others carry as many as their server allows.
    package var sharedConnectionsPerOrigin = 1
    /// The time for which a request that expects `100 (Continue)` waits before it sends its body all the same.
    package var continueTimeout = TimeAmount.seconds(1)
    /// True to offer HTTP/2 in the handshake of TLS; the server chooses.
    package var offersHTTP2 = false
    /// True to speak HTTP/2 to servers without TLS, which must know it beforehand (RFC 9113, section 3.3).
    package var assumesHTTP2 = false
    /// The time without a byte from the server after which a connection of HTTP/2 with exchanges under way asks for a
    /// sign of life; as long again, and it is closed.
    package var pingInterval = TimeAmount.seconds(15)
    /// The time without a byte from the server after which an unused connection of HTTP/2 shows a sign of life before
    /// it carries a request that must not be repeated.
    package var probeAge = TimeAmount.seconds(10)
    /// Trust and identity.
    package var tls = TLSConfiguration.makeClientConfiguration()
    /// The same for servers whose certificates are not checked.
    package var uncheckedTLS: TLSConfiguration?
    /// Returns the client's identity when a connection is made, in place of that of ``tls``; `nil` if it never changes.
    package var currentIdentity: (@Sendable () -> WireIdentity)?
    /// Looks up the addresses of hosts for the connections of an event loop; that of the system by default.
    package var resolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)?
    /// The limits of a response besides its body.
    package var limits = ResponseParser.Limits()

    package init() {}
}
