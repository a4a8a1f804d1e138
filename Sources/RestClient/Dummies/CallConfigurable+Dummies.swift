// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sets whether dummies answer calls.
    ///
    /// What a call sets wins over scopes of dummies; what its API, server or manager sets yields to them, and wins over the
    /// modes of ``RestClientManager/dummies``.
    ///
    /// - Parameter mode: The mode; with ``DummyMode/off`` the call goes to the network.
    /// - Returns: A changed copy.
    public consuming func dummies(_ mode: DummyMode) -> Self {
        options[.dummies] = mode
        return self
    }
}

extension CallOptionKey<DummyMode> {
    static var dummies: Self { Self("dummies") { "\($0)" } }
}
