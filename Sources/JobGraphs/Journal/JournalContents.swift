// SPDX-License-Identifier: MIT

import RestEssentials

struct JournalContents: Sendable {
    /// The record of the run; `nil` if it cannot be read.
    var head: JournalHead?
    var storedAt: Date
    /// The records of the nodes, by the keys of their paths.
    var records: [String: JournalRecord]
    /// The records of graphs that are being compensated, by the keys of their paths.
    var undos: [String: JournalUndo]
    var damage: [JobGraphError]
}
