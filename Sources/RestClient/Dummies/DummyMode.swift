// SPDX-License-Identifier: MIT

/// Which requests dummies answer.
public enum DummyMode: Sendable, Hashable {
    /// None: every request goes to the network.
    case off
    /// Those that a dummy matches; others go to the network.
    case matched
    /// All: a request that no dummy matches fails with ``RestClientError/Code-swift.struct/dummyNotFound``.
    case strict
}
