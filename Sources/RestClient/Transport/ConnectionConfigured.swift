// SPDX-License-Identifier: MIT

/// A transport whose settings hold for connections of another protocol too.
package protocol ConnectionConfigured: Transport {
    var connections: DirectTransport.Configuration { get }

    var identity: ClientIdentity? { get }
}
