// SPDX-License-Identifier: MIT

/// Lets calls that are equal and under way at the same time share one request.
///
/// Each call keeps its own deadline, events and cancellation; the request itself has no deadline, and ends early when the last
/// call has left.
final class FlightControl: Sendable {
    private typealias Flights = SingleFlight<FlightKey, ClientEvent.Kind, FlightAnswer>

    /// What a call gets, and its duty to release the flight.
    struct Shared: Sendable {
        var value: FlightAnswer
        var hold: FlightHold?
    }

    private let flights = Flights()
    private let hub: EventHub
    private let clock: ClientClock

    init(hub: EventHub, clock: ClientClock) {
        self.hub = hub
        self.clock = clock
    }

    /// How many requests are shared at this moment, and how many calls wait for them.
    var counts: (flights: Int, waiting: Int) { flights.counts }

    /// Runs a request, or waits for an equal one that is under way.
    ///
    /// - Parameters:
    ///   - key: What equal calls have in common.
    ///   - call: The call that wants the response.
    ///   - standIn: The call under which the request runs, if this call is the one to begin it.
    ///   - operation: Runs the request under a call.
    /// - Returns: The response; `nil` when an equal call got one that is not for others.
    /// - Throws: What the request throws, ``RestClientError`` when the call's time is over, or `CancellationError`.
    func fly(
        _ key: FlightKey,
        for call: CallContext,
        on standIn: CallContext,
        _ operation: @escaping @Sendable (CallContext) async throws -> FlightAnswer
    ) async throws -> Shared? {
        let (flights, hub) = (flights, hub)
        defer { call.adoptAttempts(of: standIn) }
        let shared = try await clock.limit(to: call.policy) {
            try await flights.run(key, relay: { hub.emit($0, call) }) { tell in
                standIn.relay?.begin(tell)
                return try await operation(standIn)
            }
        }
        let hasBegunIt = standIn.relay?.isInUse == true
        guard shared.value.isForAnyone || hasBegunIt else {
            shared.hold?.release()
            return nil
        }
        if !hasBegunIt {
            hub.emit(.callShared, call)
        }
        return Shared(value: shared.value, hold: shared.hold)
    }
}
