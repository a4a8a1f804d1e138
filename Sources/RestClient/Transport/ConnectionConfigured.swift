// SPDX-License-Identifier: MIT

/// A transport whose settings hold for connections of another protocol too.
package protocol ConnectionConfigured: Transport {
    /// Time limits and trust.
    var connections: DirectTransport.Configuration { get }

    /// The client's identity from files; `nil` if there are none.
    var identity: ClientIdentity? { get }
}
