// SPDX-License-Identifier: MIT

/// Something of a run that has a record of its own: a node, an element of a loop, or a compensation.
struct JournalEntry: Sendable {
    let path: JournalPath
    /// The digest of its name and of everything that it is made from.
    let inputs: String
    /// The type of its result.
    let output: any Sendable.Type
    /// The policy for an unsafe request whose outcome is unknown.
    let unknownOutcome: UnknownOutcome
}
