// SPDX-License-Identifier: MIT

import RestEssentials

/// The journal's record of a run.
struct JournalHead: Codable, Sendable, Equatable {
    enum Status: String, Codable, Sendable {
        case running, succeeded, failed
    }

    var version = JournalCoding.version
    var graph: String
    var status: Status
    /// The time of day at which the run first began, even if it was resumed since.
    var startedAt: Date
}
