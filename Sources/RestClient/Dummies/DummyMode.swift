// SPDX-License-Identifier: MIT

/// Decides which requests dummies respond to.
public enum DummyMode: Sendable, Hashable {
    /// None.
    ///
    /// Every request goes to the network.
    case off
    /// Requests that a dummy matches.
    ///
    /// Others go to the network.
    case matched
    /// All requests.
    ///
    /// One that no dummy matches fails with ``RestClientError/Code-swift.struct/dummyNotFound``.
    case strict
}

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
