// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

/// Coalesces equal calls that are under way at the same time into one request.
///
/// Each call keeps its own deadline, events and cancellation. The request has no deadline; it is cancelled when the
/// last call has left.
final class FlightControl<Variant: Hashable & Sendable, Content: Sendable>: Sendable {
    private let flights = SingleFlight<FlightKey<Variant>, ClientEvent.Kind, SharedResponse<Content>>()
    private let hub: EventHub
    private let clock: ClientClock

    init(hub: EventHub, clock: ClientClock) {
        self.hub = hub
        self.clock = clock
    }

    /// The number of requests that are shared at this moment, and of calls that wait for them.
    var counts: (flights: Int, waiting: Int) { flights.counts }

    /// Waits until so many calls wait for shared requests.
    package func waitForWaiters(count: Int) async {
        await flights.waitForWaiters(count: count)
    }

    /// Sends a request, or waits for an equal one that is under way.
    ///
    /// - Parameters:
    ///   - key: The key of the request.
    ///   - call: The caller.
    ///   - standIn: The call under which the request runs if this caller starts it.
    ///   - operation: Sends the request under a call.
    /// - Returns: The response; `nil` if an equal call got one that must not be shared.
    /// - Throws: An error of the request, ``RestClientError`` when the caller's time is over, or `CancellationError`.
    func run(
        _ key: FlightKey<Variant>,
        for call: CallContext,
        on standIn: CallContext,
        _ operation: @escaping @Sendable (CallContext) async throws -> SharedResponse<Content>
    ) async throws -> SharedResponse<Content>? {
        let (flights, hub) = (flights, hub)
        defer { call.adoptAttempts(of: standIn) }
        let shared = try await clock.limit(to: call) {
            try await flights.run(key, relay: { hub.emit($0, call) }) { tell in
                standIn.relay?.begin(tell)
                return try await operation(standIn)
            }
        }
        let hasBegunIt = standIn.relay?.isInUse == true
        guard shared.value.isForAnyone || hasBegunIt else {
            shared.duty?.release()
            return nil
        }
        if !hasBegunIt {
            hub.emit(.callShared, call)
        }
        var response = shared.value
        response.duty = shared.duty
        return response
    }
}
