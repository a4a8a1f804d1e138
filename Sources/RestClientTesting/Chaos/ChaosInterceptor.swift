// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient
import RestEssentials
import Synchronization

/// Disturbs attempts at random, for tests of what a program does about it.
///
/// ```swift
/// let chaos = ChaosInterceptor(seed: 7, [.status(.serviceUnavailable, headers: [.retryAfter: "1"]): 0.1, .cut: 0.05])
/// manager.options = manager.options.interceptors(chaos, perAttempt: true).retry(.standard)
/// chaos.isEnabled = true
/// ```
///
/// It does nothing until it is enabled. The same seed makes the same decisions for the same sequence of attempts, so
/// send them one after the other to repeat a run exactly. A disturbed attempt never reaches the server, except one that
/// is only delayed, whose body is damaged or whose response is cut.
public final class ChaosInterceptor: Interceptor {
    /// A disturbance.
    public enum Fault: Sendable, Hashable {
        /// The attempt is delayed.
        case latency(Duration)
        /// No connection can be made.
        case refused
        /// The server responds with a status.
        case status(HTTPResponse.Status, headers: HTTPFields = [:])
        /// The request reaches the server, and the connection is cut before the response is there.
        case cut
        /// The body of the response has one byte changed.
        case body
    }

    private struct State {
        var isEnabled = false
        var generator: SplitMix64
        var injected: [Fault] = []
    }

    private let faults: [(fault: Fault, probability: Double)]
    private let pause: @Sendable (Duration) async throws -> Void
    private let state: Mutex<State>

    /// Creates an interceptor that does nothing until it is enabled.
    ///
    /// - Parameters:
    ///   - seed: Decides which attempts are disturbed.
    ///   - faults: The disturbances, each with the part of the attempts that meet it; they are drawn one by one, in
    ///     this order, and the first that is drawn happens, but for latency, after which the others are drawn too.
    ///   - clock: The clock of latencies.
    public init(
        seed: UInt64,
        _ faults: KeyValuePairs<Fault, Double>,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.faults = faults.map { ($0.key, $0.value) }
        pause = { try await clock.sleep(for: $0) }
        state = Mutex(State(generator: SplitMix64(seed: seed)))
    }

    /// A Boolean value that is true if attempts are disturbed; `false` at first.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// The disturbances so far, in their order.
    public var injected: [Fault] { state.withLock { $0.injected } }

    /// Disturbs an attempt, or lets it pass.
    public func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let drawn = draw()
        for case .latency(let delay) in drawn {
            try await pause(delay)
        }
        switch drawn.last {
        case .refused:
            throw RestClientError(.connectionFailed, "chaos: no connection could be made")
        case .status(let status, let headers):
            return RawResponse(status: status, headers: headers)
        case .cut:
            _ = try await next(request)
            throw RestClientError(.connectionClosed, "chaos: the connection was cut before the response was complete")
        case .body:
            var response = try await next(request)
            damage(&response)
            return response
        case .latency, nil:
            return try await next(request)
        }
    }

    private func draw() -> [Fault] {
        state.withLock { state in
            guard state.isEnabled else {
                return []
            }
            var drawn: [Fault] = []
            for (fault, probability) in faults where Double.random(in: 0..<1, using: &state.generator) < probability {
                drawn.append(fault)
                guard case .latency = fault else {
                    break
                }
            }
            state.injected += drawn
            return drawn
        }
    }

    private func damage(_ response: inout RawResponse) {
        guard !response.body.isEmpty else {
            return
        }
        let count = response.body.count
        let offset = state.withLock { Int.random(in: 0..<count, using: &$0.generator) }
        response.body[response.body.startIndex + offset] ^= 0x55
    }
}
