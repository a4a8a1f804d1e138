// SPDX-License-Identifier: MIT

import RestEssentials

/// The policy for unsafe work that an earlier run began and whose outcome is unknown.
///
/// Work is unsafe when doing it twice has another effect than doing it once. See ``RunJournal``.
public enum UnknownOutcome: Sendable, Hashable {
    /// The node fails with ``JobGraphError/Code-swift.struct/unknownOutcome``, and a person decides.
    case fail
    /// The work is done again with the same key, by which the other side recognizes the repetition.
    case repeatWithSameKey
    /// The node counts as done. Allowed only if its result is `Void` or optional, because there is no result to pass
    /// on.
    case treatAsDone
}
