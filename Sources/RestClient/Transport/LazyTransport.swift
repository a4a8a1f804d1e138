// SPDX-License-Identifier: MIT

import Synchronization

/// A direct transport that is made on first use, because most programs need none.
package final class LazyTransport: Sendable {
    private let configuration: DirectTransport.Configuration
    private let made = Mutex<DirectTransport?>(nil)

    package init(_ configuration: DirectTransport.Configuration) {
        self.configuration = configuration
    }

    /// The transport, which is the same for all.
    package var transport: DirectTransport {
        get throws(RestClientError) {
            if let made = made.withLock({ $0 }) {
                return made
            }
            let new = try DirectTransport(configuration: configuration)
            return made.withLock { made in
                let first = made ?? new
                made = first
                return first
            }
        }
    }
}

/// Sends the request of a call that takes over its connection, with the settings of the manager's transport.
///
/// A response that agrees has the connection as its stream.
package typealias ConnectionOpener =
    @Sendable (_ request: TransportRequest, _ call: CallContext, _ transport: any Transport) async throws -> RawResponse

/// Opens the connection of a call that takes it over, in place of the manager's transport.
final class ConnectionUpgrade: PolicyPart {
    let open: ConnectionOpener

    init(_ open: @escaping ConnectionOpener) {
        self.open = open
    }
}
