// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Decides which calls dummies respond to.
    ///
    /// The mode of a call takes precedence over scopes of dummies. Scopes take precedence over the modes of its API,
    /// server and manager, which take precedence over the mode of ``RestClientManager/dummies``.
    ///
    /// - Parameter mode: The mode. With ``DummyMode/off`` calls go to the network.
    /// - Returns: A changed copy.
    public consuming func dummies(_ mode: DummyMode) -> Self {
        options[.dummies] = mode
        return self
    }
}

extension CallOptionKey<DummyMode> {
    static var dummies: Self { Self("dummies") { "\($0)" } }
}
