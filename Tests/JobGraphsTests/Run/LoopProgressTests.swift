// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// Progress inside of loops, and the labels of their elements.
@Suite(.timeLimit(.minutes(5)))
struct LoopProgressTests {
    private let gate = Gate()
    private let runtime = JobRuntime(workerCount: 8, clock: ManualClock())

    @Test
    func `progress counts the elements of a loop`() async throws {
        var graph = JobGraph("progress")
        let numbers = graph.input("numbers", [1, 2, 3, 4])
        graph.forEach("work", in: numbers, limit: 1, label: \.description) { [gate] number in
            LocalJob("work") {
                if number == 3 {
                    try await gate.wait()
                }
            }
        }
        let execution = try runtime.start(graph)
        try await gate.waitForWaiters(count: 1)
        var updates = execution.progress.makeAsyncIterator()

        let first = try #require(try await updates.next())
        #expect(first.elements == 4)
        #expect(first.finishedElements == 2)
        #expect(first.fraction == 0.75)
        #expect(first.description == "1 of 2 nodes, 1 running, 2 of 4 elements")

        gate.open()
        var last = first
        while let next = try await updates.next() {
            #expect(next.fraction >= last.fraction)
            last = next
        }
        #expect(last.finishedElements == 4)
        #expect(last.fraction == 1)
        let labels = await execution.finished().report.nodes.last?.children.map(\.label)
        #expect(labels == ["1", "2", "3", "4"])
    }

    @Test
    func `loops of graphs inside count too, and no loop is no count`() async throws {
        var inner = JobGraph("inner")
        let numbers = inner.input("numbers", [1, 2, 3])
        let sizes = inner.forEach("size", in: numbers) { number in LocalJob("size") { number } }
        var graph = JobGraph("outer")
        graph.subgraph("sub", inner, output: sizes)
        let execution = try runtime.start(graph)
        #expect(await execution.finished().isSuccess)

        let last = try #require(await execution.progress.reduce(GraphProgress?.none) { $1 })

        #expect(last.elements == 3)
        #expect(last.finishedElements == 3)
        #expect(last.total == 1)
    }

    @Test
    func `a label is one line, and not longer than a part of a message`() async throws {
        var graph = JobGraph("labels")
        let texts = graph.input("texts", ["a\u{1B}[2J\nb", String(repeating: "long ", count: 100)])
        graph.forEach("work", in: texts, label: \.self) { text in LocalJob("work") { text.count } }

        let labels = try await runtime.run(graph).report.nodes.last?.children.compactMap(\.label)

        #expect(labels?.first == "a\\u{1B}[2J\\u{A}b")
        #expect(labels?.last?.count == 201)
    }

    @Test
    func `a loop counts with the share of its ended elements once their number is known`() {
        var counts = ElementCounts()
        counts.add(2, of: 5, isLast: false)
        counts.end(of: 5)
        #expect(counts.shares == 0)
        counts.add(2, of: 5, isLast: true)
        #expect(counts.shares == 0.25)
        counts.add(10)
        counts.end()
        counts.add(0, of: 6, isLast: true)
        #expect(counts.shares == 0.25)
        counts.settle(5)
        counts.end(of: 5)
        #expect(counts.shares == 0)
        #expect(counts.total == 14)
        #expect(counts.finished == 3)
    }
}
