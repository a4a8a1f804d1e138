// SPDX-License-Identifier: MIT

/// A demand for a slot of a worker pool, and the terms that hold for it.
struct SlotDemand: Sendable {
    /// The meaning of the limit of the holder's key.
    enum LimitTerms: Sendable {
        /// The work waits until there is room.
        case waits
        /// The work counts, and begins even if there is no room.
        case exceeds
        /// The work counts as part of the one that started it, and takes no more room.
        case covered
    }

    /// The work.
    let holder: any SlotHolder
    /// The number of the work, if its holder has several.
    var index = 0
    /// The priority with which the demand is served.
    let priority: JobPriority
    /// The meaning of the limit of the holder's key.
    var terms = LimitTerms.waits
    /// The time since when the work waits or, once it has its slot, runs.
    var since: Duration

    /// The key for which the work counts, if any.
    var limitKey: String? {
        terms == .covered ? nil : holder.limitKey
    }
}
