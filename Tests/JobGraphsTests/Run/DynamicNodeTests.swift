// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

/// Nodes whose work is known only when others have ended: loops and polls.
@Suite(.timeLimit(.minutes(5)))
struct DynamicNodeTests {
    private struct Failed: Error, Equatable {
        var index = 0
    }

    @Test
    func `local work for each element takes slots, and is tried again by itself`() async throws {
        let tries = Recorder<Int>()
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        var graph = JobGraph("each")
        let items = graph.local("items") { 0..<4 }
        let squares = graph.forEach("square", in: items, options: [.retry(policy)]) { index in
            tries.record(index)
            if index == 2, tries.elements.count(where: { $0 == 2 }) == 1 {
                throw Failed(index: index)
            }
            return index * index
        }
        let run = try await JobRuntime(workerCount: 1).run(graph)
        #expect(try run[squares] == [0, 1, 4, 9])
        #expect(tries.elements.sorted() == [0, 1, 2, 2, 3])
        #expect(run.report.nodes[1].children.map(\.attempts) == [1, 1, 2, 1])
    }

    @Test
    func `the graph of an element does not wait for its neighbors`() async throws {
        let gate = Gate()
        var graph = JobGraph("outer")
        let items = graph.input("items", [1, 2])
        let factor = graph.input("factor", 10)
        let loop = graph.forEachGraph("element", in: items, after: factor) { inner, item, factor in
            let first = inner.local("first") { () async throws -> Int in
                if item == 1 {
                    try await gate.wait()
                }
                return item * factor
            }
            return inner.local("second", after: first) { (value: Int) async throws -> Int in
                if item == 2 {
                    gate.open()
                }
                return value + 1
            }
        }
        let run = try await JobRuntime(workerCount: 2).run(graph)
        #expect(try run[loop] == [11, 21])
        let elements = try #require(run.report.nodes.last?.children)
        #expect(elements.map(\.name) == ["element[0]", "element[1]"])
        #expect(elements.map { $0.children.map(\.name) } == [["first", "second"], ["first", "second"]])
    }

    @Test(arguments: [FailureReaction.cancel, .stop, .continue, .ignore])
    func `the graph of an element fails like a job`(failure: FailureReaction) async throws {
        var graph = JobGraph("outer")
        let items = graph.input("items", [1, 2, 3])
        let loop = graph.forEachGraph("element", in: items, limit: 1, onFailure: failure) { inner, item in
            let first = inner.local("first") { item }
            return inner.local("second", after: first) { (value: Int) throws -> Int in
                guard value != 2 else {
                    throw Failed(index: value)
                }
                return value
            }
        }
        let run = try await JobRuntime().run(graph)
        let statuses = run.report.nodes.last?.children.map(\.status)
        switch failure {
        case .cancel, .stop: #expect(statuses == [.success, .failure])
        case .continue: #expect(statuses == [.success, .failure, .success])
        case .ignore: #expect(try run[loop] == [1, 3])
        }
        #expect(run.isSuccess == (failure == .ignore))
    }

    @Test
    func `the waits of a poll follow its policy`() {
        var generator = SplitMix64(seed: 1)
        var policy = PollPolicy.exponential(from: .seconds(1), upTo: .seconds(5), attempts: 6, limit: .seconds(100))
        policy.backoff.jitter = 0
        func delay(_ attempt: Int, _ elapsed: Duration = .zero) -> Duration? {
            policy.delay(after: attempt, elapsed: elapsed, using: &generator)
        }
        #expect((1...6).map { delay($0) } == [.seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5), nil])
        #expect(delay(1, .seconds(98.5)) == .seconds(1))
        #expect(delay(1, .seconds(99)) == nil)
        policy.backoff.jitter = 0.5
        for _ in 0..<100 {
            let random = delay(2)
            #expect(random.map { $0 >= .seconds(1) && $0 <= .seconds(2) } == true)
        }
    }
}
