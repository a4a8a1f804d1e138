// SPDX-License-Identifier: MIT

import ConcurrencyTesting
package import RestClientTesting

extension LoopbackServer {
    /// The events, in order.
    package var events: [LoopbackEvent] { log.value.events }

    package var openConnectionCount: Int { log.value.openConnections.count }

    /// Waits until exactly `count` connections are open.
    package func waitForOpenConnections(count: Int) async throws {
        try await log.wait { log in log.openConnections.count == count ? () : nil }
    }

    /// Waits for an event, already logged or not.
    package func waitForEvent(_ event: LoopbackEvent) async throws {
        try await waitForEvent { $0 == event }
    }

    /// Waits for a matching event, already logged or not, and returns the oldest one.
    @discardableResult
    package func waitForEvent(
        where isMatch: @escaping @Sendable (LoopbackEvent) -> Bool
    ) async throws -> LoopbackEvent {
        try await log.wait { log in log.events.first(where: isMatch) }
    }
}
