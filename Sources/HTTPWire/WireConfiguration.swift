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
    /// The time for which a request that expects `100 (Continue)` waits before it sends its body all the same.
    package var continueTimeout = TimeAmount.seconds(1)
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
