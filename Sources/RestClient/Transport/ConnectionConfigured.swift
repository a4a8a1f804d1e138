// SPDX-License-Identifier: MIT

package protocol ConnectionConfigured: Transport {
    var connections: DirectTransport.Configuration { get }

    var identity: ClientIdentity? { get }
}
