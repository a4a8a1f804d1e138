// SPDX-License-Identifier: MIT

/// Work that holds a slot of a ``WorkerPool`` or waits for one; a reference, so that recording it is cheap.
///
/// One holder may represent several pieces of work, distinguished by numbers.
package protocol SlotHolder: AnyObject, Sendable {
    var limitKey: String? { get }

    var sharesLimit: Bool { get }

    var groupID: GroupID? { get }

    var subject: (any Sendable)? { get }

    /// Receives the slots for work that has no task while it waits; `nil` if a task waits.
    var taker: (any SlotTaker)? { get }

    /// Returns a short description of the work, without credentials.
    func words(for index: Int) -> String
}

extension SlotHolder {
    package var sharesLimit: Bool { false }
    package var subject: (any Sendable)? { nil }
    package var taker: (any SlotTaker)? { nil }
}

package protocol SlotTaker: AnyObject, Sendable {
    /// Receives the slot that work was waiting for; called outside of every lock.
    func take(_ slot: WorkerPool.Slot, for index: Int)
}
