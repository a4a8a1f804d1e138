// SPDX-License-Identifier: MIT

/// The parts of a call that equal calls have in common, kept by reference: most calls of a program are made again and
/// again.
final class SettledCall: Sendable {
    let identity: CallIdentity
    let policy: CallPolicy

    init(_ identity: CallIdentity, policy: CallPolicy) {
        self.identity = identity
        self.policy = policy
    }
}
