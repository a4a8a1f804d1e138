// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sends a safe request a second time when the first one takes long, and uses the faster response.
    ///
    /// No request is hedged when no level sets it.
    ///
    /// - Parameter hedging: The time after which the second request is sent.
    /// - Returns: A changed copy.
    public consuming func hedging(_ hedging: Hedging) -> Self {
        options[.hedging] = hedging
        return self
    }
}

extension CallOptionKey<Hedging> {
    static var hedging: Self { Self("hedging", comparison: .byValue, needs: .hedging) { $0.description } }
}
