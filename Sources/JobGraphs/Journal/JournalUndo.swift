// SPDX-License-Identifier: MIT

/// The journal's record of a graph that is being compensated.
struct JournalUndo: Codable, Sendable, Equatable {
    var version = JournalCoding.version
    /// The status of the run that is compensated; see ``RunReport/Outcome-swift.enum``.
    var status: String
    /// The failure, in words.
    var reason: String
    /// The names of the nodes that are yet to be compensated, in that order.
    var nodes: [String]
    /// The names of the nodes that were compensated; `nil` in records of older releases.
    ///
    /// Their results stay for the compensations that are left, which may need them.
    var undone: [String]?
}
