// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sets whether dummies answer this call, whatever holds for its operation, its server, its task and its manager.
    ///
    /// - Parameter mode: The mode; with ``DummyMode/off`` the call goes to the network.
    /// - Returns: A changed copy.
    public consuming func dummies(_ mode: DummyMode) -> Self {
        specification.dummyMode = mode
        return self
    }
}
