// SPDX-License-Identifier: MIT

/// Work that holds a slot of a ``WorkerPool`` or waits for one: a reference, so that noting it costs next to nothing.
///
/// One holder may stand for several pieces of work, which it tells apart by numbers.
package protocol SlotHolder: AnyObject, Sendable {
    /// The key whose limit counts, if any.
    var limitKey: String? { get }

    /// A Boolean value that is true if work started from inside the slot has a share in the holder's limit.
    var sharesLimit: Bool { get }

    /// The group that the work belongs to, if any.
    var groupID: GroupID? { get }

    /// The work itself, for those who know its type.
    var subject: (any Sendable)? { get }

    /// Takes the slots for work that has no task while it waits; `nil` if a task waits.
    var taker: (any SlotTaker)? { get }

    /// Returns the work in a few words, without credentials.
    func words(for index: Int) -> String
}

extension SlotHolder {
    package var sharesLimit: Bool { false }
    package var subject: (any Sendable)? { nil }
    package var taker: (any SlotTaker)? { nil }
}
