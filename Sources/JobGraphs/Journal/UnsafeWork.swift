// SPDX-License-Identifier: MIT

/// A piece of work in a run with a journal that must not be done twice.
///
/// It has an idempotency key, which stays the same when the work is repeated after a crash, and it is only done once
/// its record is stored.
package final class UnsafeWork: Sendable {
    private let ticket: JournalTicket
    /// Identifies the work among the other work of one node.
    private let part: String

    init(_ ticket: JournalTicket, part: String) {
        self.ticket = ticket
        self.part = part
    }

    /// The key of the work; a forced key overrides a key that the work supplies.
    package var key: (value: String, isForced: Bool) { ticket.key(of: part) }

    /// Does the work, or returns the result that it had in an earlier attempt of the node.
    ///
    /// - Parameters:
    ///   - hadNoEffect: Returns true if work that failed with the given error changed nothing.
    ///   - work: The work, which receives its key.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work, or the error that prevented its record from being stored.
    func performOnce<Value: Sendable>(
        unless hadNoEffect: (any Error) -> Bool,
        _ work: (_ key: String) async throws -> Value
    ) async throws -> Value {
        if let earlier = ticket.result(of: part, as: Value.self) {
            return earlier
        }
        let key = key.value
        let result = try await perform(key: key) { result in
            if case .failure(let error) = result { hadNoEffect(error) } else { false }
        } _: {
            try await work(key)
        }
        ticket.keep(result, of: part)
        return result
    }

    /// Counts work that succeeded as long as another attempt of the node would do it again.
    ///
    /// - Parameter effect: The count of the work.
    package func hold(_ effect: UnsafeEffects.Work) {
        ticket.hold(effect)
    }

    /// Does the work once it can be identified after a crash.
    ///
    /// - Parameters:
    ///   - key: The key with which the work is sent.
    ///   - hadNoEffect: Returns true if work with the given result changed nothing.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work, or the error that prevented its record from being stored.
    package func perform<Value: Sendable>(
        key: String?,
        hadNoEffect: (Result<Value, any Error>) -> Bool,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await ticket.perform(part, key: key, hadNoEffect: hadNoEffect, work)
    }
}
