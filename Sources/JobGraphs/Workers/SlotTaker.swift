// SPDX-License-Identifier: MIT

package protocol SlotTaker: AnyObject, Sendable {
    /// Receives the slot that work was waiting for; called outside of every lock.
    func take(_ slot: WorkerPool.Slot, for index: Int)
}
