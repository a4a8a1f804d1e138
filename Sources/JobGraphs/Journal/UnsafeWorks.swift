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

    package func next() -> UnsafeWork {
        UnsafeWork(ticket, part: name(count.wrappingAdd(1, ordering: .relaxed).newValue))
    }

    private func name(_ number: Int) -> String { number == 1 ? part : "\(part).\(number)" }

    /// Does the next piece of work, or returns the result that it had in an earlier attempt of the node, also in an
    /// earlier run.
    func performOnce<Value: Sendable>(
        unless hadNoEffect: (any Error) -> Bool,
        _ work: (_ key: String) async throws -> Value
    ) async throws -> Value {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        let next = UnsafeWork(ticket, part: name(number))
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

    /// Ends the count of work whose result is kept: another attempt of the node uses that, but one of a node around it
    /// does only once the result of the node is stored.
    func endKept(_ effect: UnsafeEffects.Work) {
        ticket.endKept(effect)
    }
}
