// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a journal holds: see ``RestClientManager/journalledRuns()``.
public struct JournalledRun: Sendable, Hashable {
    /// How far the run came.
    public enum Status: String, Sendable, Hashable {
        /// It is under way, or its process was killed.
        case unfinished
        /// It failed or was cancelled; running it again goes on from there.
        case failed
        /// It succeeded; running it again begins anew.
        case succeeded
    }

    /// The name of the journal.
    public let name: String

    /// The name of the graph.
    public let graph: String

    /// How far the run came.
    public let status: Status

    /// When it first began.
    public let startedAt: Date

    /// The names of nodes with a stored result; those inside a node have its name before theirs, and a slash between.
    public let finishedNodes: [String]

    /// The names of nodes that sent an unsafe request of which nobody knows what became.
    public let unknownNodes: [String]
}
