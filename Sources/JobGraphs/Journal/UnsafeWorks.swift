// SPDX-License-Identifier: MIT

import Synchronization

/// Numbers the unsafe work of a job by its order, which is the same whenever the job runs.
package final class UnsafeWorks: Sendable {
    private let ticket: JournalTicket
    private let part: String
    private let count = Atomic<Int>(0)

    init(_ ticket: JournalTicket, part: String) {
        self.ticket = ticket
        self.part = part
    }

    /// Returns the next piece of work.
    package func next() -> UnsafeWork {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return UnsafeWork(ticket, part: number == 1 ? part : "\(part).\(number)")
    }
}
