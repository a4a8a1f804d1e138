// SPDX-License-Identifier: MIT

/// The reaction of a group, a loop or a run to the failure of a member, an element or a node.
///
/// | verb | `.continue` | `.stop` | `.cancel` | `.ignore` |
/// |---|---|---|---|---|
/// | `concurrently` | the others run | no other begins | and running ones are cancelled | the others run |
/// | `serially` | the next step gets the failure | no step begins | as `.stop` | the next step gets the failure |
/// | `forEach` | the others run | no other begins | and running ones are cancelled | its result is left out |
/// | a run | what does not need the node runs | no node begins | and running ones are cancelled | as `.continue` |
/// | the work as a whole | fails at the end | fails | fails | succeeds |
///
/// The default is `.continue` for `concurrently` with a list and for a run, `.stop` for `serially`, and `.cancel`
/// for `forEach`. With separate arguments, `concurrently(a, b)` cancels and `serially(a, b)` stops, because they return
/// all results or throw the first error.
///
/// ``JobOptions/onFailure(_:)`` sets the reaction to the failure of one node, in place of the run's
/// ``RunOptions/onFailure(_:)``.
public enum FailureReaction: Sendable, Hashable {
    /// Everything that does not need the failed work still runs; the whole fails at the end.
    case `continue`
    /// Nothing begins any more, and what runs may finish.
    case stop
    /// Nothing begins any more, and what runs is cancelled.
    case cancel
    /// Everything that does not need the failed work still runs; the failure is reported, but is none of the whole.
    case ignore
}
