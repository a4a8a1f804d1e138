// SPDX-License-Identifier: MIT

import Synchronization

/// A slot or a place in the queue that was asked for in the order of submission, before the work that needs it begins.
///
/// It is used once; one that was not used is given back at the end of its life at the latest.
package final class SlotReservation: Sendable {
    private let pool: WorkerPool
    private let acquisition: Mutex<WorkerPoolStateMachine.Acquisition?>
    /// The time at which the slot was asked for, on the pool's clock.
    let since: Duration

    init(_ acquisition: WorkerPoolStateMachine.Acquisition, of pool: WorkerPool, since: Duration) {
        self.pool = pool
        self.acquisition = Mutex(acquisition)
        self.since = since
    }

    deinit {
        giveUp()
    }

    /// Hands over the duty to use the slot or to give it back; `nil` if that was done before.
    func take() -> WorkerPoolStateMachine.Acquisition? {
        acquisition.withLock { $0.take() }
    }

    /// Gives the slot back, or leaves the queue, unless it was used.
    func giveUp() {
        if let acquisition = take() {
            pool.giveUp(acquisition)
        }
    }
}
