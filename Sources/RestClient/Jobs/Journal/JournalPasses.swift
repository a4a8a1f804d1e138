// SPDX-License-Identifier: MIT

import Synchronization

/// Gives each request of a job its pass; they are told apart by their order, which is the same whenever the job runs.
final class JournalPasses: Sendable {
    private let ticket: JournalTicket
    private let part: String
    private let count = Atomic<Int>(0)

    init(_ ticket: JournalTicket, part: String) {
        self.ticket = ticket
        self.part = part
    }

    /// The pass of the next request.
    func next() -> JournalPass {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return JournalPass(ticket, part: number == 1 ? part : "\(part).\(number)")
    }
}
