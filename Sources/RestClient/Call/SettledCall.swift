// SPDX-License-Identifier: MIT

/// The parts that equal calls share, kept by reference, because most calls of a program are repeated.
final class SettledCall: Sendable {
    let identity: CallIdentity
    let policy: CallPolicy

    init(_ identity: CallIdentity, policy: CallPolicy) {
        self.identity = identity
        self.policy = policy
    }
}
