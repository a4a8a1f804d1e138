// SPDX-License-Identifier: MIT

/// A request for a slot of a worker pool, and its terms.
struct SlotDemand: Sendable {
    /// The effect of the limit of the holder's key.
    enum LimitTerms: Sendable {
        /// The work waits until the limit allows it.
        case waits
        /// The work counts towards the limit, and begins even if the limit is reached.
        case exceeds
        /// The work counts as part of the work that started it, and does not count separately.
        case covered
    }

    /// The work.
    let holder: any SlotHolder
    /// The number of the work, if its holder represents several pieces.
    var index = 0
    /// The priority with which the demand is served.
    let priority: JobPriority
    /// The effect of the limit of the holder's key.
    var terms = LimitTerms.waits
    /// The time since which the work has been waiting or, once it has its slot, running.
    var since: Duration

    /// The key whose limit applies, if any.
    var limitKey: String? {
        terms == .covered ? nil : holder.limitKey
    }
}
