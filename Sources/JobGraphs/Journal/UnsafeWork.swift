// SPDX-License-Identifier: MIT

/// One piece of work in a run with a journal that must not be done twice.
///
/// It has an idempotency key, which is the same when the work is repeated after a crash, and it is only done once its
/// record is stored.
package final class UnsafeWork: Sendable {
    private let ticket: JournalTicket
    /// Tells the work of one node apart.
    private let part: String

    init(_ ticket: JournalTicket, part: String) {
        self.ticket = ticket
        self.part = part
    }

    /// The key of the work; one that is forced stands above a key that the work brings with it.
    package var key: (value: String, isForced: Bool) { ticket.key(of: part) }

    /// Does the work once it can be found again after a crash.
    ///
    /// - Parameters:
    ///   - key: The key that the work goes out with.
    ///   - hadNoEffect: Returns true if work that ended like this changed nothing.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: What the work throws, or why its record could not be stored.
    package func perform<Value: Sendable>(
        key: String?,
        hadNoEffect: (Result<Value, any Error>) -> Bool,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await ticket.perform(part, key: key, hadNoEffect: hadNoEffect, work)
    }
}
