// SPDX-License-Identifier: MIT

/// Receives the slots for work that has no task while it waits.
package protocol SlotTaker: AnyObject, Sendable {
    /// Receives the slot that work was waiting for; called outside of every lock.
    func take(_ slot: WorkerPool.Slot, for index: Int)
}
