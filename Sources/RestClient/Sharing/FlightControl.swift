// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

/// Coalesces equal concurrent calls into one request.
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

    /// The current number of shared requests, and of calls that wait for them.
    var counts: (flights: Int, waiting: Int) { flights.counts }

    /// Waits until the given number of calls wait for shared requests.
    package func waitForWaiters(count: Int) async {
        await flights.waitForWaiters(count: count)
    }

    /// Sends a request, or waits for an equal one in progress.
    ///
    /// - Parameters:
    ///   - key: The key of the request.
    ///   - call: The caller.
    ///   - standIn: The call for which the request runs if this caller starts it.
    ///   - operation: Sends the request for a call.
    /// - Returns: The response; `nil` if an equal call received one that must not be shared.
    /// - Throws: An error of the request, ``RestClientError`` at the caller's deadline, or `CancellationError`.
    func run(
        _ key: FlightKey<Variant>,
        for call: CallContext,
        on standIn: CallContext,
        _ operation: @escaping @Sendable (CallContext) async throws -> SharedResponse<Content>
    ) async throws -> SharedResponse<Content>? {
        let (flights, hub, clock) = (flights, hub, clock)
        defer { call.adoptAttempts(of: standIn) }
        let shared = try await clock.limit(to: call) {
            var events = CallerEvents(hub: hub, call: call)
            do {
                return try await flights.run(key, relay: { events.emit($0) }) { tell in
                    standIn.relay?.begin(tell)
                    return try await operation(standIn)
                }
            } catch {
                events.leave(because: Self.reason(for: error, of: call, at: clock.now()))
                throw error
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

    /// Returns the reason for which a caller leaves: its deadline cancels its task, too.
    private static func reason(for error: any Error, of call: CallContext, at now: Duration) -> any Error {
        guard error is CancellationError, let deadline = call.deadline, deadline <= now else {
            return error
        }
        return RestClientError.timedOut(after: call.policy.timeout)
    }
}
