// SPDX-License-Identifier: MIT

import Synchronization

/// A piece of work that must not be done twice: it begins once its record is stored, with a key that stays the same
/// when it is repeated after a crash.
package struct UnsafeWork: Sendable {
    let ticket: JournalTicket
    /// Identifies the work among the other work of one node.
    let part: String

    package var key: (value: String, isForced: Bool) { ticket.key(of: part) }

    package func hold(_ effect: UnsafeEffects.Work) {
        ticket.hold(effect, of: part)
    }

    /// Returns what an earlier attempt or run kept of the work, which is not done again; `nil` if there is nothing.
    package func kept<Value: Sendable>(as type: Value.Type) throws -> Value? {
        try ticket.result(of: part, as: type)?.value
    }

    /// Keeps a value with which later attempts of the node, also those of later runs, go on in place of the work.
    ///
    /// A secret is for later runs only if the journal seals it; otherwise the outcome of the work is unknown to them.
    package func keep<Value: Sendable>(_ value: Value, isSecret: Bool) async {
        await ticket.keep(value, of: part, inside: [], lastNumber: 1, isSecret: isSecret)
        ticket.endHeld(part)
    }

    /// Forgets what was kept: the next run does the work again, unless its outcome is unknown.
    package func forget(isUnknown: Bool, key: String?) async {
        await ticket.forget(part, isUnknown: isUnknown, key: key)
    }

    package func perform<Value: Sendable>(
        key: String?,
        hadNoEffect: (Result<Value, any Error>) -> Bool,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await ticket.perform(part, key: key, hadNoEffect: hadNoEffect, work)
    }
}

/// Numbers the unsafe work of a job by its order, which is the same whenever the job runs.
package final class UnsafeWorks: Sendable {
    private let ticket: JournalTicket
    private let part: String
    private let count = Atomic<Int>(0)

    init(_ ticket: JournalTicket, part: String) {
        self.ticket = ticket
        self.part = part
    }

    package func next() -> UnsafeWork {
        UnsafeWork(ticket: ticket, part: name(count.wrappingAdd(1, ordering: .relaxed).newValue))
    }

    private func name(_ number: Int) -> String { number == 1 ? part : "\(part).\(number)" }

    /// Does the next piece of work, or returns the result that it had in an earlier attempt or run.
    func performOnce<Value: Sendable>(
        unless hadNoEffect: (any Error) -> Bool,
        _ work: (_ key: String) async throws -> Value
    ) async throws -> Value {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        let next = UnsafeWork(ticket: ticket, part: name(number))
        if let earlier = try ticket.result(of: next.part, as: Value.self) {
            // Work inside of it had numbers of its own; what follows keeps those that it had.
            count.max(earlier.lastNumber, ordering: .relaxed)
            return earlier.value
        }
        let key = next.key.value
        let value = try await next.perform(key: key) { result in
            if case .failure(let error) = result { hadNoEffect(error) } else { false }
        } _: {
            try await work(key)
        }
        let last = count.load(ordering: .relaxed)
        await ticket.keep(value, of: next.part, inside: (number..<last).map { name($0 + 1) }, lastNumber: last)
        return value
    }

    func endKept(_ effect: UnsafeEffects.Work) {
        ticket.endKept(effect)
    }
}
