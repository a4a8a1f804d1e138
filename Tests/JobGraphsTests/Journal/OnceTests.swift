// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SharedStore
import Synchronization
import Testing

@testable import JobGraphs

/// Work of a user's own job that must not be done twice.
@Suite(.timeLimit(.minutes(5)))
struct OnceTests {
    private struct Lost: Error {}
    private struct Refused: Error {}
    private struct Late: Error {}

    /// Failures, each of which happens once.
    private final class Failures: Sendable {
        private let left = Mutex<[any Error]>([])

        func add(_ failure: any Error) {
            left.withLock { $0.append(failure) }
        }

        func happen() throws {
            if let failure = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                throw failure
            }
        }
    }

    /// Charges once, and then perhaps fails.
    private struct Charge: Job {
        let bank: Recorder<String>
        let charges: Failures
        let ends: Failures

        func run(in context: JobContext) async throws -> String {
            func isRefusal(_ error: any Error) -> Bool { error is Refused }
            let receipt = try await context.once(hadNoEffect: isRefusal) { key in
                bank.record(key)
                try charges.happen()
                return "receipt"
            }
            try ends.happen()
            return receipt
        }
    }

    /// The keys that the bank received.
    private let bank = Recorder<String>()
    /// The first failures of the bank.
    private let charges = Failures()
    /// The first failures of the job after the charge.
    private let ends = Failures()

    private func graph(_ options: JobOptions? = nil) -> (JobGraph, JobHandle<String>) {
        let job = Charge(bank: bank, charges: charges, ends: ends)
        var graph = JobGraph("pay")
        let charge = graph.job("charge", options: options) { job }
        return (graph, charge)
    }

    private func retrying(_ attempts: Int) -> JobOptions {
        var policy = RetryPolicy(attempts: attempts)
        policy.backoff.first = .zero
        return .retry(policy)
    }

    @Test
    func `work whose outcome is unknown is not done again without permission`() async throws {
        let runtime = JobRuntime()
        charges.add(Lost())
        _ = try await runtime.run(graph().0, journal: "pay")
        let run = try await runtime.run(graph().0, journal: "pay")

        #expect((run.node("charge")?.error as? JobGraphError)?.code == .unknownOutcome)
        #expect(bank.elements.count == 1)
        #expect(try await runtime.journals.unresolved(in: "pay").map(\.name) == ["charge"])
    }

    @Test
    func `it is repeated with the same key if the journal says so`() async throws {
        let runtime = JobRuntime()
        let journal = RunJournal("pay", unknownOutcome: .repeatWithSameKey)
        charges.add(Lost())
        _ = try await runtime.run(graph().0, journal: journal)
        let (graph, charge) = graph()
        let run = try await runtime.run(graph, journal: journal)

        #expect(try run[charge] == "receipt")
        #expect(bank.elements.count == 2)
        #expect(Set(bank.elements).count == 1)
    }

    @Test
    func `somebody can decide that it was done, or was not`() async throws {
        let runtime = JobRuntime()
        charges.add(Lost())
        _ = try await runtime.run(graph().0, journal: "pay")
        let work = try #require(try await runtime.journals.unresolved(in: "pay").first)
        #expect(work.idempotencyKey == bank.elements.first)
        try await runtime.journals.markDone(work, with: "found", in: "pay")
        let (done, charge) = graph()
        #expect(try await runtime.run(done, journal: "pay")[charge] == "found")
        #expect(bank.elements.count == 1)

        charges.add(Lost())
        _ = try await runtime.run(graph().0, journal: "other")
        for work in try await runtime.journals.unresolved(in: "other") {
            try await runtime.journals.markNotDone(work)
        }
        #expect(try await runtime.run(graph().0, journal: "other").isSuccess)
        #expect(bank.elements.count == 3)
        #expect(Set(bank.elements).count == 3)
    }

    @Test
    func `work that had no effect is done by the next run, and by the next attempt`() async throws {
        let runtime = JobRuntime()
        charges.add(Refused())
        #expect(try await runtime.run(graph().0, journal: "pay").isSuccess == false)
        #expect(try await runtime.run(graph().0, journal: "pay").isSuccess)
        #expect(bank.removeAll().count == 2)

        for journal in [nil, "attempts"] as [RunJournal?] {
            charges.add(Refused())
            let graph = graph([retrying(2)]).0
            let run =
                if let journal { try await runtime.run(graph, journal: journal) } else { try await runtime.run(graph) }
            #expect(run.isSuccess)
            #expect(bank.removeAll().count == 2)
        }
    }

    @Test(arguments: [true, false])
    func `work that failed is not attempted again`(hasJournal: Bool) async throws {
        let runtime = JobRuntime()
        charges.add(Lost())
        let graph = graph([retrying(3)]).0
        let run = hasJournal ? try await runtime.run(graph, journal: "pay") : try await runtime.run(graph)

        #expect(run.node("charge")?.error is Lost)
        #expect(bank.elements.count == 1)
    }

    @Test
    func `with a journal, a later attempt uses the result that the work had`() async throws {
        ends.add(Late())
        let (graph, charge) = graph([retrying(2)])
        let run = try await JobRuntime().run(graph, journal: "pay")

        #expect(try run[charge] == "receipt")
        #expect(run.node("charge")?.attempts == 2)
        #expect(bank.elements.count == 1)
    }

    @Test
    func `the result of work that is done is used, whatever the inputs of its job are by then`() async throws {
        let runtime = JobRuntime()
        let job = Charge(bank: bank, charges: charges, ends: ends)
        func graph(token: Int) -> (JobGraph, JobHandle<String>) {
            var graph = JobGraph("pay")
            let token = graph.input("token", token)
            let charge = graph.job("charge", after: token) { _ in job }
            return (graph, charge)
        }
        ends.add(Late())
        #expect(try await runtime.run(graph(token: 1).0, journal: "pay").isSuccess == false)

        let (other, charge) = graph(token: 2)
        #expect(try await runtime.run(other, journal: "pay")[charge] == "receipt")
        #expect(bank.elements.count == 1)
    }

    @Test
    func `without a journal, a job that fails after the work is not attempted again`() async throws {
        ends.add(Late())
        let run = try await JobRuntime().run(graph([retrying(2)]).0)

        #expect(run.node("charge")?.error is Late)
        #expect(bank.elements.count == 1)
    }

    @Test
    func `a job that runs alone does its work each time, with a new key`() async throws {
        let runtime = JobRuntime()
        let job = Charge(bank: bank, charges: charges, ends: ends)
        for _ in 0..<2 {
            #expect(try await runtime.run(job) == "receipt")
        }
        #expect(Set(bank.elements).count == 2)
    }

    @Test
    func `each element of a loop has a record of its own`() async throws {
        let runtime = JobRuntime()
        let job = Charge(bank: bank, charges: charges, ends: ends)
        func graph() -> JobGraph {
            var graph = JobGraph("pay")
            let cards = graph.input("cards", ["a", "b", "c"])
            graph.forEach("charge", in: cards, limit: 1, onFailure: .continue) { _ in job }
            return graph
        }
        charges.add(Lost())
        _ = try await runtime.run(graph(), journal: "pay")
        #expect(bank.elements.count == 3)
        #expect(try await runtime.journals.unresolved(in: "pay").count == 1)
        _ = try await runtime.run(graph(), journal: "pay")
        #expect(bank.elements.count == 3)
    }

    // MARK: - Several pieces of work

    /// Reserves, and then charges; each with its own key and result.
    private struct Purchase: Job {
        let bank: Recorder<String>
        let reservations: Failures
        let charges: Failures
        let ends: Failures

        func run(in context: JobContext) async throws -> [String] {
            func isRefusal(_ error: any Error) -> Bool { error is Refused }
            func work(_ name: String, _ failures: Failures) async throws -> String {
                try await context.once(hadNoEffect: isRefusal) { key in
                    bank.record("\(name) \(key)")
                    try failures.happen()
                    return name
                }
            }
            let results = [try await work("reserve", reservations), try await work("charge", charges)]
            try ends.happen()
            return results
        }
    }

    private func purchase() -> (graph: JobGraph, result: JobHandle<[String]>) {
        let job = Purchase(bank: bank, reservations: Failures(), charges: charges, ends: ends)
        var graph = JobGraph("purchase")
        let result = graph.job("purchase") { job }
        return (graph, result)
    }

    private var names: [String] { bank.elements.compactMap { $0.split(separator: " ").first.map(String.init) } }

    @Test(arguments: [RunJournal("pay"), RunJournal("pay", codec: .sealed(.generate()))])
    func `work that is done is not done again when later work of its job was refused`(journal: RunJournal) async throws
    {
        let runtime = JobRuntime()
        charges.add(Refused())
        #expect(try await runtime.run(purchase().graph, journal: journal).isSuccess == false)
        #expect(try await runtime.journals.unresolved(in: "pay").isEmpty)

        let (graph, result) = purchase()
        #expect(try await runtime.run(graph, journal: journal)[result] == ["reserve", "charge"])
        #expect(names == ["reserve", "charge", "charge"])
    }

    @Test
    func `a job that failed after all of its work is done has the results of that in the next run`() async throws {
        let runtime = JobRuntime()
        ends.add(Late())
        #expect(try await runtime.run(purchase().graph, journal: "pay").isSuccess == false)

        let (graph, result) = purchase()
        #expect(try await runtime.run(graph, journal: "pay")[result] == ["reserve", "charge"])
        #expect(names == ["reserve", "charge"])
    }

    @Test
    func `only the work whose outcome is unknown is decided, and done again`() async throws {
        let runtime = JobRuntime()
        charges.add(Lost())
        _ = try await runtime.run(purchase().graph, journal: "pay")
        let blocked = try await runtime.run(purchase().graph, journal: "pay")
        #expect((blocked.node("purchase")?.error as? JobGraphError)?.code == .unknownOutcome)
        let work = try #require(try await runtime.journals.unresolved(in: "pay").first)

        try await runtime.journals.markNotDone(work)
        let (graph, result) = purchase()
        #expect(try await runtime.run(graph, journal: "pay")[result] == ["reserve", "charge"])
        #expect(names == ["reserve", "charge", "charge"])
        #expect(Set(bank.elements).count == 3)
    }

    @Test
    func `work that is repeated keeps its key, and not the work before it`() async throws {
        let runtime = JobRuntime()
        let journal = RunJournal("pay", unknownOutcome: .repeatWithSameKey)
        charges.add(Lost())
        _ = try await runtime.run(purchase().graph, journal: journal)

        let (graph, result) = purchase()
        #expect(try await runtime.run(graph, journal: journal)[result] == ["reserve", "charge"])
        #expect(names == ["reserve", "charge", "charge"])
        #expect(Set(bank.elements).count == 2)
    }

    @Test
    func `the outcomes of work done at the same time are all known`() async throws {
        struct Both: Job {
            let bank: Recorder<String>

            func run(in context: JobContext) async throws {
                await withThrowingTaskGroup { group in
                    for number in 0..<20 {
                        group.addTask {
                            try await context.once(hadNoEffect: { $0 is Refused }) { key in
                                bank.record(key)
                                if number.isMultiple(of: 2) {
                                    throw Refused()
                                }
                            }
                        }
                    }
                    while let result = await group.nextResult() {
                        _ = result
                    }
                }
                throw Lost()
            }
        }
        let runtime = JobRuntime()
        var graph = JobGraph("both")
        graph.job("both") { [bank] in Both(bank: bank) }
        _ = try await runtime.run(graph, journal: "pay")

        #expect(Set(bank.elements).count == 20)
        #expect(try await runtime.journals.unresolved(in: "pay").isEmpty)
    }
}
