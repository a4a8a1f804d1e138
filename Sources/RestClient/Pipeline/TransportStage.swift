// SPDX-License-Identifier: MIT

import JobGraphs

/// Passes the request to the transport; it is the last stage.
struct TransportStage: Interceptor {
    let transport: any Transport
    let hub: EventHub
    let clock: ClientClock
    let taps: ExchangeTaps
    /// True if the transport observes the cancellation of calls, besides that of its task.
    private let heedsCalls: Bool

    init(transport: any Transport, hub: EventHub, clock: ClientClock, taps: ExchangeTaps) {
        self.transport = transport
        self.hub = hub
        self.clock = clock
        self.taps = taps
        // The usual one is asked first: the search for a conformance is a tenth of what a manager takes to start.
        heedsCalls = transport is DirectTransport || transport is any CancellingTransport
    }

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        let start = clock.now()
        var remaining: Duration?
        if let deadline = call.deadline {
            let left = deadline - start
            guard left > .zero else {
                throw RestClientError.timedOut(after: call.policy.timeout)
            }
            remaining = left
        }
        do {
            let isStreamed = call.policy.isStreamed
            let progress = isStreamed || taps.current != nil ? nil : request.progress
            let message = self.message(for: request, within: remaining, isCollectedHere: isStreamed || progress != nil)
            if isStreamed {
                return try await call.waits { try await open(message, since: start, call) }
            }
            var response: RawResponse
            if heedsCalls, progress == nil, taps.current == nil, request.isInMemory {
                try message.check(over: transport)
                response = try await transport.send(message)
            } else {
                // A tap, another transport and the source of a body heed only their task.
                response = try await call.waits { [transport, clock] in
                    try await exchange(message) { message in
                        try message.check(over: transport)
                        guard let progress else {
                            return try await transport.send(message)
                        }
                        let response = progress.measured(try await transport.open(message))
                        return try await clock.limit(to: call) {
                            try await response.collected(limit: message.responseLimit)
                        }
                    }
                }
            }
            if progress != nil {
                noteConnections(of: response, call)
                note(nil, since: start, call)
                return response
            }
            if response.stream != nil {
                // Only taps respond so, which replay a body that was not recorded whole.
                response = try await response.collected(limit: call.policy.responseLimit)
            }
            note(response, since: start, call)
            return response
        } catch {
            note(nil, since: start, call)
            throw failure(error, of: call)
        }
    }

    /// Returns what the transport is to send; `isCollectedHere` if it returns the body as a stream.
    @inline(never)
    private func message(
        for request: OutgoingRequest,
        within remaining: Duration?,
        isCollectedHere: Bool
    ) -> TransportRequest {
        let call = request.call
        var message = TransportRequest(
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: request.body,
            timeout: remaining,
            responseLimit: call.policy.responseLimit
        )
        message.secretFields = call.policy.secretFields
        message.hasOwnOrigin = call.hasOwnOrigin(request.url)
        message.isDeclaredIdempotent = request.isDeclaredIdempotent
        if !call.policy.needs.contains(.wire) {
            message.way = call.policy.isolation == nil ? .usual : nil
        } else {
            message.setWay(
                by: call.options,
                hasOwnOrigin: message.hasOwnOrigin,
                asksEnvironment: call.policy.isolation == nil
            )
            message.limit(by: call.policy)
            message.pinKeys(by: call.options[.pinnedKeys], ownURL: call.url)
            message.continueTimeout = call.policy.options[.continueRule]?.timeout(for: message.body)
        }
        if heedsCalls {
            message.cancellation = call.cancellation
        }
        if call.policy.isStreamed {
            message.idleTimeout = call.policy.idleTimeout
        }
        if isCollectedHere {
            message.surplusHandler = surplusHandler(of: call)
        }
        return message
    }

    /// Returns the error of a call whose exchange failed with another one.
    @inline(never)
    private func failure(_ error: any Error, of call: CallContext) -> any Error {
        guard let error = error as? RestClientError, error.code == .timeout, !(error.underlying is SlowServer) else {
            return error
        }
        // The time for connecting has a limit of its own.
        if let underlying = error.underlying, TransportFailure.precedesSending(underlying) {
            return error
        }
        var failure = RestClientError.timedOut(after: call.policy.timeout, underlying: error.underlying)
        failure.isUnsent = error.isUnsent
        return failure
    }

    /// Sends a request whose response is streamed, or whose connection is handed over if the response agrees; any other
    /// response is collected.
    ///
    /// Taps see the stream, and the limit of complete responses, beyond which they keep nothing; they may wrap the
    /// connection, as a recorder does to keep its messages.
    private func open(
        _ request: TransportRequest,
        since start: Duration,
        _ call: CallContext
    ) async throws -> RawResponse {
        let policy = call.policy
        let upgrade = policy.part(ConnectionUpgrade.self)
        let response = try await exchange(request) { [transport] request in
            if let upgrade {
                return try await upgrade.open(request, call, transport)
            }
            var request = request
            request.responseLimit = policy.streamLimit
            try request.check(over: transport)
            return try await transport.open(request)
        }
        noteConnections(of: response, call)
        guard response.stream != nil, policy.delivers(response.status) else {
            let whole = try await response.collected(limit: policy.responseLimit)
            note(whole.timings, since: start, call)
            return whole
        }
        guard upgrade == nil else {
            note(nil, since: start, call)
            return response
        }
        return response.watched { [self] _ in
            note(nil, since: start, call)
            return nil
        }
    }

    /// Sends a request through the taps, which record it or respond instead.
    private func exchange(
        _ request: TransportRequest,
        by send: @escaping @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse {
        guard let taps = taps.current else {
            return try await send(request)
        }
        return try await ExchangeTaps.send(request, through: taps[...], send)
    }

    private func noteConnections(of response: RawResponse, _ call: CallContext) {
        if response.staleCount > 0 {
            let times = response.staleCount == 1 ? "once" : "\(response.staleCount) times"
            call.tell("the server had just closed the connection, and the request was sent again \(times)")
        }
        if let way = response.way {
            call.tell(way)
        }
    }

    /// Returns what records that the server sent more than the response.
    ///
    /// It holds neither the call nor this stage, because a transport may keep its requests.
    private func surplusHandler(of call: CallContext) -> @Sendable () -> Void {
        { [weak call, weak hub] in
            if let call, let hub {
                Self.noteSurplus(of: call, hub)
            }
        }
    }

    private static func noteSurplus(of call: CallContext, _ hub: EventHub) {
        call.tell("the server sent more than the response, and its connection was closed")
        hub.emit(.surplusReceived, call)
    }

    /// Records the exchange that has just ended with a collected response.
    @inline(never)
    private func note(_ response: RawResponse, since start: Duration, _ call: CallContext) {
        note(response.timings, since: start, call)
        noteConnections(of: response, call)
        if response.hasSurplus {
            Self.noteSurplus(of: call, hub)
        }
    }

    private func note(_ timings: ExchangeTimings?, since start: Duration, _ call: CallContext) {
        let end = timings.map { start + $0.total } ?? clock.now()
        let attempt = call.latestAttempt
        call.note { $0.add(exchangeFrom: start, to: end, timings, attempt: attempt) }
    }
}
