// SPDX-License-Identifier: MIT

/// Part of a run with a record of its own: a node, an element of a loop, or a compensation.
struct JournalEntry: Sendable {
    let path: JournalPath
    /// The digest of its name and all of its inputs.
    let inputs: String
    /// The type of its result.
    let output: any Sendable.Type
    /// The policy for unsafe work whose outcome is unknown.
    let unknownOutcome: UnknownOutcome
}
