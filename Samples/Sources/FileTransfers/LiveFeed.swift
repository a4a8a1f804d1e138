// SPDX-License-Identifier: MIT

import RestClient

/// Follows a feed of server-sent events, which reconnects after each interruption.
struct LiveFeed: Sendable {
    let manager: RestClientManager

    /// Passes the events to a closure until there have been as many as requested.
    ///
    /// A new request carries `Last-Event-ID`, so no event is lost or repeated.
    func follow(until count: Int, _ receive: (ServerSentEvent) async throws -> Void) async throws {
        var policy = EventStreamPolicy()
        policy.backoff.first = .milliseconds(10)
        var received = 0
        for try await event in manager.request(Void.self).get().endpoint("/feed").serverSentEvents(policy) {
            try await receive(event)
            received += 1
            if received == count {
                break
            }
        }
    }
}
