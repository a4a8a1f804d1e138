// SPDX-License-Identifier: MIT

import Synchronization

/// A slot or a place in the queue, requested in the order of submission before the work that needs it begins; unused,
/// it is released when it is deallocated at the latest.
package final class SlotReservation: Sendable {
    private let pool: WorkerPool
    private let acquisition: Mutex<WorkerPoolStateMachine.Acquisition?>
    let since: Duration

    init(_ acquisition: WorkerPoolStateMachine.Acquisition, of pool: WorkerPool, since: Duration) {
        self.pool = pool
        self.acquisition = Mutex(acquisition)
        self.since = since
    }

    deinit {
        giveUp()
    }

    /// Transfers the responsibility for the slot or the place in the queue; `nil` if that was done before.
    func take() -> WorkerPoolStateMachine.Acquisition? {
        acquisition.withLock { $0.take() }
    }

    func giveUp() {
        if let acquisition = take() {
            pool.giveUp(acquisition)
        }
    }
}
