// SPDX-License-Identifier: MIT

/// When calls to a server that fails are refused at once, and when it is asked again.
///
/// ```swift
/// manager.servers[.store] = Server("https://api.example.com/v1").circuitBreaker(.standard)
/// manager.servers[.maps] = Server("https://maps.example.com")
///     .circuitBreaker(.failures(5, within: .seconds(10), opensFor: .seconds(5)))
/// ```
///
/// A *closed* breaker lets calls pass and counts. When too many of them fail or are slow, it *opens*: calls fail with
/// ``RestClientError/Code-swift.struct/circuitOpen`` before anything is sent. After a time it is *half open* and lets a
/// few probes pass; if they succeed it closes, and if one fails it opens again. Failures are connections that fail,
/// timeouts, malformed responses, and statuses of 500 and above that the call does not accept.
public struct CircuitBreaker: Sendable, Hashable {
    /// The part of the calls in the window whose failure opens the breaker; 0.5 by default.
    public var failureRatio = 0.5

    /// The number of calls that the window must have before a ratio means something; 10 by default.
    public var minimumCalls = 10

    /// The time on the wire from which a call counts as slow; `nil`, the default, for none.
    public var slowCallDuration: Duration?

    /// The part of the calls in the window whose slowness opens the breaker; 0.8 by default.
    public var slowCallRatio = 0.8

    /// The stretch of time in which calls are counted; 30 seconds by default.
    public var window: Duration = .seconds(30)

    /// The time for which an open breaker refuses calls before it probes; 10 seconds by default.
    public var openDuration: Duration = .seconds(10)

    /// The number of probes that pass at once, and must succeed, when the breaker is half open; 1 by default.
    public var probes = 1

    init() {}

    /// The breaker with the defaults.
    public static let standard = CircuitBreaker()

    /// A breaker that opens after a number of failures, whatever else succeeded as long as more failed.
    ///
    /// - Parameters:
    ///   - count: How many failures.
    ///   - window: The stretch of time in which they are counted.
    ///   - openDuration: How long calls are refused before the server is probed.
    /// - Returns: The breaker.
    public static func failures(
        _ count: Int,
        within window: Duration,
        opensFor openDuration: Duration
    ) -> CircuitBreaker {
        var breaker = CircuitBreaker()
        breaker.minimumCalls = max(1, count)
        breaker.window = window
        breaker.openDuration = openDuration
        return breaker
    }
}

extension CircuitBreaker: CustomStringConvertible {
    /// The breaker in words.
    public var description: String {
        // A ratio may be any number, which not every integer is made of.
        let share = Int(exactly: (failureRatio * 100).rounded()).map { "\($0)" } ?? "\(failureRatio * 100)"
        return "opens when \(share) % of at least \(minimumCalls) calls in \(window) fail, for \(openDuration)"
    }
}

/// The reason for which a circuit breaker refused a call: the underlying error of
/// ``RestClientError/Code-swift.struct/circuitOpen``.
public struct CircuitRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server, and its API if that has a breaker.
    public let server: String

    /// The state of the breaker.
    public let state: CircuitState

    /// The time until the breaker probes the server again; zero while a probe is under way, and `nil` if it waits for
    /// ``ServerGuards/release(_:)``.
    public let probesIn: Duration?

    /// The refusal in words.
    public var description: String {
        switch (state, probesIn) {
        case (.isolated, _): "'\(server)' was isolated; .guards.release(_:) lets calls pass again"
        case (.halfOpen, _): "'\(server)' is being probed"
        case (_, let wait?): "'\(server)' failed too often; it is probed again in \(wait)"
        case (_, nil): "'\(server)' failed too often"
        }
    }
}
