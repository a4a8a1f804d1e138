// SPDX-License-Identifier: MIT

import HTTPTypes

/// The failures for which a stored response may be delivered instead; see ``CachePolicy/networkElseCache(on:maxAge:)``.
///
/// ```swift
/// let rates = try await manager.request(.rates).cache(.networkElseCache(on: [.unreachable, .timeout])).send()
/// ```
public struct CacheFailures: OptionSet, Sendable, Hashable {
    /// The set as bits.
    public let rawValue: Int

    /// Creates a set from its bits; prefer the named members.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The host or the network cannot be reached, or the connection was closed.
    public static let unreachable = CacheFailures(rawValue: 1)

    /// The call exceeded its time limit.
    public static let timeout = CacheFailures(rawValue: 2)

    /// The server responded with 500, 502, 503 or 504.
    public static let serverError = CacheFailures(rawValue: 4)

    /// The server responded with 429: too many requests.
    public static let tooManyRequests = CacheFailures(rawValue: 8)

    /// All failures that are likely to be temporary: all of the above.
    public static let temporary: CacheFailures = [.unreachable, .timeout, .serverError, .tooManyRequests]

    /// The failures for which HTTP may allow a stale response (RFC 9111, section 4.2.4; RFC 5861, section 4).
    static let ofServerOrNetwork: CacheFailures = [.unreachable, .timeout, .serverError]

    /// Returns true if the set includes an error; a cancellation is never included.
    func include(_ error: any Error) -> Bool {
        switch (error as? RestClientError)?.failureClass {
        case .network: contains(.unreachable)
        case .timeout: contains(.timeout)
        default: false
        }
    }

    func include(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 429: contains(.tooManyRequests)
        case 500, 502...504: contains(.serverError)
        default: false
        }
    }
}
