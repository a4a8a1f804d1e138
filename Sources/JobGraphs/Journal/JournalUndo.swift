// SPDX-License-Identifier: MIT

/// The journal's record of a graph that is being taken back.
struct JournalUndo: Codable, Sendable, Equatable {
    var version = JournalCoding.version
    /// The status with which the run had ended; see ``GraphRun/Status-swift.enum``.
    var status: String
    /// The failure, in words.
    var reason: String
    /// The names of the nodes that are still to be taken back, in that order.
    var nodes: [String]
}
