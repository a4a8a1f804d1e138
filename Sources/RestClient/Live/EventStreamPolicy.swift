// SPDX-License-Identifier: MIT

public import JobGraphs
import RestEssentials

/// The way in which a stream of server-sent events, or of the messages of a WebSocket, continues after an interruption.
public struct EventStreamPolicy: Sendable, Hashable {
    /// A Boolean value that makes a stream send a new request when it is interrupted or ends; `true` by default.
    public var reconnects = true

    /// A Boolean value that allows new requests after a non-idempotent one, like POST, that may have had an effect.
    ///
    /// The default is `false`: such a stream ends with its first response, and with an error if that is interrupted. So
    /// does one whose request was redirected to a GET, as by 303. A request that did not reach the server is sent again
    /// in any case, and so is one that the server rejected with one of the ``transientStatuses``, like 429.
    public var retriesUnsafeRequests = false

    /// The waits before new requests; by default from 3 to 60 seconds, each twice the one before it as long as no bytes
    /// arrive, and half of each except the first one random.
    ///
    /// A wait that the server sets takes the place of the first one. No wait is shorter than 100 milliseconds, whoever
    /// sets it: a server that ends each response at once would otherwise be asked without a pause.
    public var backoff = Backoff(.seconds(3), longest: .seconds(60), jitter: 0.5)

    private static let leastWait = Duration.milliseconds(100)

    /// The number of consecutive requests that may deliver no bytes before the stream fails; unlimited by default.
    ///
    /// A request that a circuit breaker or a rate limit refused does not count, nor does one that the server accepted,
    /// and then was silent for the idle time of ``CallConfigurable/timeouts(attempt:firstByte:idle:)``. Neither makes
    /// the next wait longer.
    ///
    /// After a refusal by a guard the feed waits until the guard allows requests again, or for at least a second if
    /// that time is unknown.
    public var failureLimit: Int?

    /// The statuses after which a new request is sent; none by default, as in the standard.
    ///
    /// With 502, 503 and 504 a feed survives the restart of its server behind a gateway.
    public var transientStatuses: Set<Int> = []

    /// The limit of each event, in bytes; 16 MiB by default.
    ///
    /// A longer one fails the stream with ``RestClientError/Code-swift.struct/lineTooLong``. The messages of a
    /// WebSocket have another limit.
    public var eventLimit = 16 << 20

    /// Creates the policy of the HTML standard.
    public init() {}

    /// A single request; the stream ends with it.
    public static let once: EventStreamPolicy = {
        var policy = EventStreamPolicy()
        policy.reconnects = false
        return policy
    }()

    /// The wait before the next request: the server's time, longer with each failure in succession, and at least as
    /// long as requests are refused, which is a second if that is unknown.
    package func delay(
        after failures: Int,
        _ error: RestClientError? = nil,
        serverTime: Duration? = nil,
        random: Double
    ) -> Duration {
        let refusal = error?.leastWait ?? .zero
        let base = min(max(Self.leastWait, serverTime ?? backoff.first), .century)
        guard failures > 1, backoff.multiplier > 1 else {
            return max(refusal, base)
        }
        var backoff = backoff
        (backoff.first, backoff.longest) = (base, min(max(base, backoff.longest), .century))
        return max(refusal, base, backoff.wait(after: failures, random: 1 - random))
    }
}

extension RestClientError {
    /// True if the error only interrupts a feed, as one of the network or a refusal; any other one would only recur.
    package var isInterruption: Bool {
        switch code {
        case .connectionClosed, .connectionFailed, .hostNotFound, .malformedResponse, .timeout, .transportFailed: true
        case .proxyFailed: mayPass
        default: isRefusal
        }
    }

    /// True if a guard of the server refused the call, so that nothing was sent.
    var isRefusal: Bool { code == .circuitOpen || code == .rateLimitExceeded }

    /// The least time until a call may pass the guards of the server; zero if they did not refuse this one.
    ///
    /// It is a second if the end is unknown: a feed whose own wait is zero would otherwise ask without a pause.
    fileprivate var leastWait: Duration {
        guard isRefusal else {
            return .zero
        }
        return refusedFor.map { $0 > .zero ? min($0, .century) : .seconds(1) } ?? .seconds(1)
    }
}
