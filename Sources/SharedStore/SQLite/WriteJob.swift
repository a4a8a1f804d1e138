// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// One caller's part of a write transaction.
protocol WriteJob: Sendable {
    /// Runs the job and keeps its result.
    func run(in session: WriteSession) throws(StoreError)
    /// Called once, when the job is durable or has failed.
    func end(_ error: StoreError?)
}
