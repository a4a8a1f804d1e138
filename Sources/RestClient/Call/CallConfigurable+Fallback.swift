// SPDX-License-Identifier: MIT

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
