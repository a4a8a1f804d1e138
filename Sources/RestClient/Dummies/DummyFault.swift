// SPDX-License-Identifier: MIT

/// What goes wrong with a dummy's response, as it does with real networks and servers.
///
/// The call fails as it would against a server with that fault, with the same ``RestClientError/Code-swift.struct``:
/// see ``DummyResponse/connectionReset``, ``DummyResponse/malformed``, ``DummyResponse/noAnswer`` and
/// ``DummyResponse/truncated(after:)``.
package enum DummyFault: Sendable, Hashable {
    /// The connection is reset before anything is answered.
    case connectionReset
    /// What comes is no HTTP.
    case malformed
    /// Nothing ever comes.
    case noAnswer
    /// The connection is cut after so many bytes of the body; after half of them when `nil`.
    case truncated(after: Int?)

    /// How many bytes of a body come before it is cut: always fewer than it has.
    package static func cut(after count: Int?, of length: Int) -> Int {
        max(0, min(count ?? length / 2, length - 1))
    }
}
