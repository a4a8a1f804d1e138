// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// When failed work is tried again, and after which wait: a pure rule.
///
/// ```swift
/// let orders = graph.request("orders", after: login, options: [.retry(4)]) { token in RequestNode(.orders) }
/// ```
///
/// By default these are tried again: failures of the network, timeouts, the statuses 408, 425, 429, 500, 502, 503 and 504,
/// and errors of your own code. A request with an unsafe method is tried again only when it cannot have reached the server,
/// or when the server says that it did not handle it (425, 429, 503 with `Retry-After`); see ``retriesUnsafeRequests``. A
/// cancelled job is never tried again.
///
/// The wait grows exponentially, and a random part of it is waited (full jitter), so that many clients that failed together
/// do not come back together. A wait holds no worker slot.
public struct RetryPolicy: Sendable {
    /// How many attempts there are at most, the first one included.
    public var attempts: Int

    /// The longest wait before the second attempt; 200 milliseconds by default.
    public var baseDelay: Duration = .milliseconds(200)

    /// How much longer each wait may be than the one before; 2 by default.
    public var multiplier: Double = 2

    /// The longest wait of all; 30 seconds by default.
    ///
    /// A longer `Retry-After` of the server ends the attempts.
    public var maxDelay: Duration = .seconds(30)

    /// Whether a random part of each wait is waited instead of the whole; `true` by default.
    public var usesJitter = true

    /// Whether requests with methods that are not idempotent, like POST, are repeated although they may have had their effect.
    ///
    /// The default is `false`. Give such a request an `Idempotency-Key` first.
    public var retriesUnsafeRequests = false

    /// Which errors are worth another attempt; `nil`, the default, for the rule in the description of the type.
    ///
    /// It is not asked about a `CancellationError`.
    public var isRetryable: (@Sendable (any Error) -> Bool)?

    /// Creates a policy.
    ///
    /// - Parameter attempts: How many attempts there are at most, the first one included; less than 1 counts as 1.
    public init(attempts: Int) {
        self.attempts = max(1, attempts)
    }
}

// MARK: - The decision

extension RetryPolicy {
    /// What is done after a failed attempt.
    enum Decision: Equatable {
        case retry(after: Duration)
        case stop(StopReason)
    }

    /// Why there is no other attempt.
    enum StopReason: String, Equatable {
        /// There were as many attempts as allowed.
        case attemptsExhausted
        /// Another try would bring the same.
        case notRetryable
        /// The request may have had its effect already.
        case unsafeRequest
        /// The wait would last longer than the work may take.
        case deadline
        /// The server wants a longer wait than the policy allows.
        case retryAfterTooLong
    }

    /// Decides what is done after a failed attempt.
    ///
    /// - Parameters:
    ///   - error: What went wrong.
    ///   - attempt: The number of the attempt that failed, beginning with 1.
    ///   - remaining: How long the work may still take; `nil` for any time.
    ///   - now: The time of day, for a `Retry-After` that is a date.
    ///   - generator: Where the jitter comes from.
    /// - Returns: How long to wait, or why there is no other attempt.
    func decision(
        after error: any Error,
        attempt: Int,
        remaining: Duration?,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        if let reason = refusal(of: error) {
            return .stop(reason)
        }
        guard attempt < attempts else {
            return .stop(.attemptsExhausted)
        }
        var delay = backoff(after: attempt, using: &generator)
        if let asked = Self.retryAfter(in: error, now: now) {
            guard asked <= maxDelay else {
                return .stop(.retryAfterTooLong)
            }
            delay = max(delay, asked)
        }
        if let remaining, delay >= remaining {
            return .stop(.deadline)
        }
        return .retry(after: delay)
    }

    /// The wait after that many failed attempts.
    private func backoff(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        var limit = max(0, baseDelay / .seconds(1))
        let longest = max(0, maxDelay / .seconds(1))
        for _ in 1..<max(1, attempt) where limit < longest {
            limit *= max(1, multiplier)
        }
        limit = min(limit, longest)
        return .seconds(usesJitter ? Double.random(in: 0...limit, using: &generator) : limit)
    }

    private func refusal(of error: any Error) -> StopReason? {
        if error is CancellationError {
            return .notRetryable
        }
        if let isRetryable {
            return isRetryable(error) ? nil : .notRetryable
        }
        guard let error = error as? RestClientError else {
            return nil
        }
        guard Self.isTransient(error) else {
            return .notRetryable
        }
        return retriesUnsafeRequests || Self.hadNoEffect(error) ? nil : .unsafeRequest
    }

    private static func isTransient(_ error: RestClientError) -> Bool {
        switch error.code {
        case .hostNotFound, .connectionFailed, .connectionClosed, .transportFailed, .timeout, .malformedResponse:
            return true
        case .unacceptableStatus:
            return transientStatuses.contains(error.status?.code ?? 0)
        default:
            return false
        }
    }

    private static let transientStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

    /// Whether the same request can be sent again without doing anything twice.
    private static func hadNoEffect(_ error: RestClientError) -> Bool {
        if error.request?.method?.isIdempotent ?? true {
            return true
        }
        switch error.code {
        case .hostNotFound, .connectionFailed:
            return true
        case .unacceptableStatus:
            let code = error.status?.code ?? 0
            return code == 425 || code == 429 || (code == 503 && error.response?.headers[.retryAfter] != nil)
        default:
            return error.attempts == 0
        }
    }

    /// What the server asks to wait, as a number of seconds or as a date (RFC 9110, section 10.2.3).
    private static func retryAfter(in error: any Error, now: Date) -> Duration? {
        guard let text = (error as? RestClientError)?.response?.headers[.retryAfter] else {
            return nil
        }
        let value = FieldList.trimmed(text[...])
        if let seconds = CacheControl.deltaSeconds(value) {
            return seconds
        }
        return HTTPDate.date(String(value), now: now).map { .seconds(max(0, $0.timeIntervalSince(now))) }
    }
}

extension HTTPRequest.Method {
    /// Whether sending the same request twice has the effect of sending it once (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}
