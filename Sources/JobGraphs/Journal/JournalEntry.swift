// SPDX-License-Identifier: MIT

/// Part of a run with a record of its own: a node, an element of a loop, or a compensation.
struct JournalEntry: Sendable {
    let path: JournalPath
    let inputs: String
    let output: any Sendable.Type
    let unknownOutcome: UnknownOutcome
}
