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
