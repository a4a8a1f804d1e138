// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SeededRandom
import SharedStore
import Testing

@testable import JobGraphs

/// Random histories: processes die, are suspended, and lose responses, until every run has come to its end.
@Suite(.timeLimit(.minutes(5)))
struct RunHistoryTests {
    private struct Charge: Job {
        let done: Recorder<String>
        let place: String

        func run(in context: JobContext) async throws -> String {
            try await context.once { key in
                done.record("\(place) \(key)")
                try await RealTime.pass(.milliseconds(2))
                return key
            }
        }
    }

    private final class Process: Sendable {
        let backing: FaultyBacking
        let task: Task<Void, any Error>

        init(_ backing: FaultyBacking, _ graph: DurableGraph<String>) {
            self.backing = backing
            let runtime = JobRuntime()
            runtime.persist(on: backing, timing: .short)
            task = Task { try await runtime.worker(limit: 4).offering(graph).run() }
        }
    }

    private let rows = MemoryBacking()
    private let done = Recorder<String>()

    private var graph: DurableGraph<String> {
        DurableGraph("history") { [done] run in
            var graph = JobGraph("history")
            let first = graph.local("first") { try await RealTime.pass(.milliseconds(1)) }
            let charges = (0..<2)
                .map { number in
                    graph.job("charge \(number)", after: first) { _ in Charge(done: done, place: "\(run) \(number)") }
                }
            graph.local("last", after: charges[0], charges[1]) { _, _ in }
            return graph
        }
    }

    /// Decides as a person would, who knows what was done, and tries failed runs again.
    private func decide(_ runtime: JobRuntime) async throws -> Int {
        var left = 0
        for run in try await runtime.journals.list() where run.status != .succeeded {
            left += 1
            guard run.status == .failed else {
                continue
            }
            for work in try await runtime.journals.unresolved(in: run.name) {
                let key = try #require(work.idempotencyKey)
                if let effect = done.elements.first(where: { $0.contains(key) }) {
                    let result = effect.split(separator: " ").last.map(String.init)
                    try await runtime.journals.markDone(work, with: result, in: RunJournal(run.name))
                } else {
                    try await runtime.journals.markNotDone(work)
                }
            }
            try await runtime.journals.retry(run.name)
        }
        return left
    }

    @Test(arguments: 0..<6)
    func `whatever happens, each run comes to one end, and unsafe work is done once`(_ round: UInt64) async throws {
        let seed = UInt64.random(in: 0 ... .max >> 1)
        var generator = SeededGenerator(seed: seed)
        let count = 30
        let person = JobRuntime()
        person.persist(on: rows, timing: .short)
        for number in 0..<count {
            try await person.enqueue(graph, "run\(number)", as: "run\(number)")
        }
        func start() -> Process {
            let faults: Double = [0, 0, 0.02, 0.1].randomElement(using: &generator) ?? 0
            return Process(FaultyBacking(rows, seed: generator.next(), faults: faults), graph)
        }
        var (processes, gone) = ((0..<4).map { _ in start() }, [Process]())
        for _ in 0..<40 {
            try await RealTime.pass(.milliseconds(.random(in: 5...50, using: &generator)))
            let place = Int.random(in: processes.indices, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                processes[place].backing.die()
                gone.append(processes[place])
                processes[place] = start()
            case 1: processes[place].backing.suspend()
            default:
                for process in processes {
                    process.backing.resume()
                }
            }
            _ = try? await decide(person)
        }
        for process in processes {
            process.backing.resume()
        }
        while try await decide(person) > 0 {
            try await RealTime.pass(.milliseconds(20))
        }
        for process in processes + gone {
            process.task.cancel()
        }
        for process in processes + gone {
            _ = await process.task.result
        }

        let places = done.elements.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        let counts = Dictionary(places.map { ($0, 1) }, uniquingKeysWith: +)
        let twice = counts.filter { $0.value > 1 }
        #expect(counts.count == 2 * count && twice.isEmpty, "seed \(seed): \(twice)")
        let list = try await person.journals.list()
        #expect(list.count == count, "seed \(seed)")
        #expect(list.allSatisfy { $0.worker == nil && $0.finishedNodes.count == 4 }, "seed \(seed)")
    }
}
