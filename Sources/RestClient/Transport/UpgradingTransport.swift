// SPDX-License-Identifier: MIT

import Synchronization

/// A transport whose settings hold for connections of another protocol too.
package protocol UpgradingTransport: Transport {
    /// Makes such connections.
    var upgrades: DirectTransport { get throws(RestClientError) }
}

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
