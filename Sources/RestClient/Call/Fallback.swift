// SPDX-License-Identifier: MIT

/// A source of the result of a call whose server failed: another server, the cache, a dummy or a value.
///
/// ```swift
/// manager.apis[.prices] = API(.get, "/prices").cache().fallback(.server(.mirror), .cache(), .value([Price]()))
/// ```
///
/// ``Response/fallback`` is the one that was used, and the event ``ClientEvent/Kind/callFellBack(to:_:)`` names each
/// one in turn.
public struct Fallback: Sendable {
    enum Step: Sendable {
        case server(ServerAlias)
        case cache(maxAge: Duration?)
        case dummy
        case value(any Sendable)
    }

    let step: Step

    /// Sends the request to another server, with the options of that server.
    ///
    /// The options of the API and the call hold there too, credentials among them. The time limit of the call includes
    /// this request: limit each attempt (``CallConfigurable/timeouts(attempt:firstByte:idle:)``) to leave time for it.
    /// A request that may have changed data on the first server is not sent to the other one, unless it has an
    /// ``CallConfigurable/idempotencyKey(_:field:)``, nor is one with a whole URL.
    ///
    /// - Parameter alias: The alias of the other server.
    /// - Returns: The fallback.
    public static func server(_ alias: ServerAlias) -> Fallback {
        Fallback(step: .server(alias))
    }

    /// Uses the stored response, even if it is stale.
    ///
    /// - Parameter maxAge: The maximum age of the response; `nil` accepts any age.
    /// - Returns: The fallback.
    public static func cache(maxAge: Duration? = nil) -> Fallback {
        Fallback(step: .cache(maxAge: maxAge))
    }

    /// Uses the dummy that matches the request, even if dummies are off; its response is not stored.
    public static let dummy = Fallback(step: .dummy)

    /// Uses a value.
    ///
    /// - Parameter value: The model. It is used only by calls whose model has its type.
    /// - Returns: The fallback.
    public static func value(_ value: some Sendable) -> Fallback {
        Fallback(step: .value(value))
    }

    /// Returns true if a fallback is used after an error, unless the chain sets a condition: the server
    /// failed, or could not be reached, or not in time.
    static func isUsed(after error: RestClientError) -> Bool {
        switch error.code {
        case .circuitOpen, .rateLimitExceeded, .malformedResponse:
            return true
        case .unacceptableStatus:
            guard let status = error.status?.code else {
                return false
            }
            return status >= 500 || status == 429 || status == 408
        default:
            let failureClass = error.failureClass
            return failureClass == .network || failureClass == .timeout || failureClass == .serverUnavailable
        }
    }
}

extension Fallback: MirroredByDescription {
    /// The source, as in `cache`; values are not shown.
    public var description: String {
        switch step {
        case .server(let alias): "server '\(AliasText.shown(alias.rawValue))'"
        case .cache: "cache"
        case .dummy: "dummy"
        case .value: "value"
        }
    }
}

/// The fallbacks of a call, in the order in which they are tried.
struct FallbackChain: Sendable {
    let fallbacks: [Fallback]
    let condition: @Sendable (RestClientError) -> Bool

    /// Returns true if the chain is used after an error: never after a cancellation or an error of the user's code.
    func isUsed(after error: any Error) -> Bool {
        guard let error = error as? RestClientError else {
            return false
        }
        return condition(error)
    }
}

extension FallbackChain: CustomStringConvertible {
    var description: String { fallbacks.map(\.description).joined(separator: ", then ") }
}

extension CallConfigurable {
    /// Uses another source when the server fails; the first one that gives a result wins.
    ///
    /// By default that happens after failures of the network, timeouts, malformed responses, the statuses 408, 429 and
    /// 5xx, and when a guard refuses the call. Retries come first. If no source gives a result, the call fails with the
    /// error of its server. Streamed calls and downloads have no fallbacks.
    ///
    /// - Parameters:
    ///   - fallbacks: The sources in the order in which they are tried; none switches off those of outer levels.
    ///   - condition: Returns true if they are used after an error; `nil` for the default.
    /// - Returns: A changed copy.
    public consuming func fallback(
        _ fallbacks: Fallback...,
        when condition: (@Sendable (RestClientError) -> Bool)? = nil
    ) -> Self {
        options[.fallback] = FallbackChain(fallbacks: fallbacks, condition: condition ?? Fallback.isUsed)
        return self
    }
}

extension CallOptionKey<FallbackChain> {
    static var fallback: Self { Self("fallback") { $0.description } }
}
