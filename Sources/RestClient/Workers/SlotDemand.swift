// SPDX-License-Identifier: MIT

/// Who asks the worker pool for a slot, and on what terms.
struct SlotDemand: Sendable {
    /// What the limit of the holder's server means for it.
    enum LimitTerms: Sendable {
        /// It waits until there is room at the server.
        case waits
        /// It counts for the server, and begins even if there is no room.
        case exceeds
        /// It counts for the one who started it, and takes no more room.
        case covered
    }

    /// Who asks.
    let holder: SlotHolder
    /// How early the demand is served.
    let priority: JobPriority
    /// What the limit of the holder's server means for it.
    var terms = LimitTerms.waits
    /// Since when the holder waits or, once it has its slot, works.
    var since: Duration

    /// Since when the holder has been at what it does now.
    var begun: Duration {
        if case .nodes(let nodes) = holder { max(nodes.begun ?? since, since) } else { since }
    }

    /// The server for which it counts, if any.
    var server: ServerAlias? {
        terms == .covered ? nil : holder.server
    }
}

/// What a slot of the worker pool is for: a reference, so that noting it costs next to nothing.
enum SlotHolder: Sendable {
    case call(CallContext)
    case job(LocalWork)
    case nodes(DrainedNodes)

    /// Work that is not a call and that nobody named.
    static let unnamed = SlotHolder.job(LocalWork(name: ""))

    /// The server that it talks to, if it has an alias.
    var server: ServerAlias? {
        switch self {
        case .call(let call): call.server
        case .job(let work): work.server
        case .nodes: nil
        }
    }
}

/// Work that is not a call, as a worker pool knows it.
final class LocalWork: Sendable {
    let name: String
    let groupID: GroupID?
    /// The server whose limit counts, if any.
    let server: ServerAlias?

    init(name: String, groupID: GroupID? = nil, server: ServerAlias? = nil) {
        self.name = name
        self.groupID = groupID
        self.server = server
    }
}
