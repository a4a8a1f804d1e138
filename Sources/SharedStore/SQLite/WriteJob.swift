// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// One caller's part of a write transaction.
protocol WriteJob: Sendable {
    /// Does the work and keeps its result.
    func run(in session: WriteSession) throws(StoreError)
    /// Tells that the work is durable, or that it failed; called once.
    func end(_ error: StoreError?)
}
