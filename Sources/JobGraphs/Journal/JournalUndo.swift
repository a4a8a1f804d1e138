// SPDX-License-Identifier: MIT

struct JournalUndo: Codable, Sendable, Equatable {
    var version = JournalCoding.version
    var status: String
    var reason: String
    /// The names of the nodes that are yet to be compensated, in that order.
    var nodes: [String]
    /// The names of the nodes that were compensated; `nil` in records of older releases.
    ///
    /// Their results stay for the compensations that are left, which may need them.
    var undone: [String]?
}
