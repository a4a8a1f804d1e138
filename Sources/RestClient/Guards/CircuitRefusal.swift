// SPDX-License-Identifier: MIT

/// The reason for which a circuit breaker refused a call: the underlying error of
/// ``RestClientError/Code-swift.struct/circuitOpen``.
public struct CircuitRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server, and its API if that has a breaker of its own.
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
