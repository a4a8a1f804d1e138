// SPDX-License-Identifier: MIT

/// A piece of work in a run with a journal that must not be done twice.
///
/// It has an idempotency key, which stays the same when the work is repeated after a crash, and it is only done once
/// its record is stored.
package final class UnsafeWork: Sendable {
    private let ticket: JournalTicket
    /// Identifies the work among the other work of one node.
    let part: String

    init(_ ticket: JournalTicket, part: String) {
        self.ticket = ticket
        self.part = part
    }

    /// The key of the work; a forced key overrides a key that the work supplies.
    package var key: (value: String, isForced: Bool) { ticket.key(of: part) }

    /// Counts work that succeeded as long as another attempt of the node would do it again.
    package func hold(_ effect: UnsafeEffects.Work) {
        ticket.hold(effect)
    }

    /// Does the work once it can be identified after a crash.
    package func perform<Value: Sendable>(
        key: String?,
        hadNoEffect: (Result<Value, any Error>) -> Bool,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await ticket.perform(part, key: key, hadNoEffect: hadNoEffect, work)
    }
}
