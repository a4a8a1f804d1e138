// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// Coalesces equal concurrent calls, which keep their own deadlines, events and cancellation, into one request without
/// a deadline, which is cancelled when the last call has left.
final class FlightControl<Variant: Hashable & Sendable, Content: Sendable>: Sendable {
    private typealias Flights = SingleFlight<FlightKey<Variant>, ClientEvent.Kind, SharedResponse<Content>>

    private let flights = Flights()
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

    /// Sends a request for `standIn`, or waits for an equal one in progress; `nil` if the response of that must not be
    /// shared, or if it may wait for the worker slot that the caller keeps.
    func run(
        _ key: FlightKey<Variant>,
        for call: CallContext,
        keepingSlot keepsSlot: Bool = false,
        on standIn: CallContext,
        _ operation: @escaping @Sendable (CallContext) async throws -> SharedResponse<Content>
    ) async throws -> SharedResponse<Content>? {
        let (flights, hub, clock) = (flights, hub, clock)
        defer {
            if standIn.facts.request.wire != nil {
                call.follow(standIn)
            }
        }
        let shared: Flights.Shared? = try await clock.limit(to: call) {
            var events = CallerEvents(hub: hub, call: call)
            do {
                let work: Flights.Operation = { reports in
                    standIn.relay?.begin(reports.event, holds: reports.slots)
                    return try await Self.response(of: standIn, operation)
                }
                return try await flights.run(key, keepingSlot: keepsSlot, relay: { events.emit($0) }, work)
            } catch {
                if standIn.relay?.isInUse != true {
                    call.adoptFailure(error)
                }
                let error = (error as? SharedFailure)?.error ?? error
                events.leave(because: Self.reason(for: error, of: call, at: clock.now()))
                throw error
            }
        }
        guard let shared else {
            return nil
        }
        let hasBegunIt = standIn.relay?.isInUse == true
        guard shared.value.isForAnyone || hasBegunIt else {
            shared.duty?.release()
            return nil
        }
        if !hasBegunIt {
            hub.emit(.callShared, call)
            call.tell("an equal call had sent the request, and this call received its response")
            if let effect = shared.value.effect {
                call.adopt(effect)
            }
        }
        var response = shared.value
        response.duty = shared.duty
        return response
    }

    /// Runs the operation of a flight, whose effect concerns all callers.
    private static func response(
        of standIn: CallContext,
        _ operation: (CallContext) async throws -> SharedResponse<Content>
    ) async throws -> SharedResponse<Content> {
        // The first caller may have sent requests before this one.
        let before = standIn.facts.unsafeCount
        do {
            var response = try await operation(standIn)
            response.effect = SharedEffect.of(standIn, since: before)
            return response
        } catch {
            guard let effect = SharedEffect.of(standIn, since: before) else {
                throw error
            }
            throw SharedFailure(error: error, effect: effect)
        }
    }

    /// Returns the reason for which a caller leaves: its deadline cancels its task, too.
    private static func reason(for error: any Error, of call: CallContext, at now: Duration) -> any Error {
        guard error is CancellationError, let deadline = call.deadline, deadline <= now else {
            return error
        }
        return RestClientError.timedOut(after: call.policy.timeout)
    }
}

/// The events of a shared request that one of its callers emits as its own: each attempt ends in the call in which it
/// began, although the caller may leave before its end or become the leader after its start.
struct CallerEvents {
    private let hub: EventHub
    private let call: CallContext
    /// The attempts that have begun and not ended.
    private var attempts: [Int] = []

    init(hub: EventHub, call: CallContext) {
        self.hub = hub
        self.call = call
    }

    mutating func emit(_ kind: ClientEvent.Kind) {
        switch kind {
        case .attemptStarted(let number):
            attempts.append(number)
        case .attemptFinished(let number, _), .attemptFailed(let number, _):
            guard let index = attempts.firstIndex(of: number) else {
                return
            }
            attempts.remove(at: index)
        default:
            break
        }
        hub.emit(kind, call)
    }

    /// Ends the attempts of a caller that leaves.
    mutating func leave(because error: any Error) {
        for number in attempts {
            hub.emit(.attemptFailed(number: number, error), call)
        }
        attempts = []
    }
}

/// The properties of a request that must be equal for two calls to share it.
struct FlightKey<Variant: Hashable & Sendable>: Hashable, Sendable {
    private let method: HTTPRequest.Method
    private let url: String
    private let fields: [UInt8]
    private let body: Data?
    private let variant: Variant
    private let acceptedStatuses: StatusSet
    private let responseLimit: Int
    /// The user set for the call.
    private let user: String?
    /// The credentials in the query, if a key stands for the URL.
    private let secrets: String?
    /// A call of high priority does not wait for a request of a lower one.
    private let priority: JobPriority
    /// The interceptors that change requests and responses.
    private let attemptInterceptors: ObjectIdentifier?
    /// Separates calls of different scopes, so that one test does not receive the dummies of another.
    private let scope: String?
    /// The options and parts of features that affect the response.
    private let options: [String: CallOptions.Distinction]
    private let parts: [String]

    /// The key that stands for the URL, the header fields and the body.
    private let key: String?

    /// Creates the key of a request; the user's key stands for its path, its header fields and its body.
    init(_ request: OutgoingRequest, variant: Variant, key: String? = nil) {
        let policy = request.call.policy
        method = request.method
        self.key = key
        url = key == nil ? request.url : (try? HTTPURL(sent: request.url))?.origin ?? request.url
        fields = key == nil ? request.headers.bytes : []
        body = key == nil ? request.body?.bytes : nil
        self.variant = variant
        acceptedStatuses = policy.acceptedStatuses
        responseLimit = policy.responseLimit
        user = key == nil ? policy.user : policy.owner(of: request.headers, request.call.facts.request.sent)
        secrets = key == nil ? nil : Redaction.secretItems(of: request.url)
        priority = policy.priority
        attemptInterceptors = policy.options.identity(of: .attemptInterceptors)
        scope = policy.scope
        options = policy.options.distinctions
        parts = policy.parts.compactMap(\.distinction)
    }
}
