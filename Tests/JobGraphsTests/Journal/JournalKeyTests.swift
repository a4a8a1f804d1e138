// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// Names that begin with a combining mark, which merges with the separator before it.
@Suite(.timeLimit(.minutes(5)))
struct JournalKeyTests {
    private struct Failed: Error {}

    private static let mark = "\u{301}"

    private let ran = Recorder<String>()

    /// A node whose graph has one too, and a node that fails until it is mended.
    private func graph(isMended: Bool) -> (graph: JobGraph, first: JobHandle<Int>) {
        var graph = JobGraph("marks")
        let first = graph.local(Self.mark + "first") { [ran] in
            ran.record("first")
            return 1
        }
        let inner = graph.subgraph("inner", after: first) { [ran] inner, number in
            let second = inner.local(Self.mark + "second") {
                ran.record("second")
                return number + 1
            }
            return inner.local("third", after: second) { number throws -> Int in
                guard isMended else {
                    throw Failed()
                }
                ran.record("third")
                return number + 1
            }
        }
        graph.local("last", after: inner) { [ran] _ in ran.record("last") }
        return (graph, first)
    }

    @Test
    func `the records of such nodes are found`() async throws {
        let runtime = JobRuntime()
        #expect(try await runtime.run(graph(isMended: false).graph, journal: "marks").isSuccess == false)

        let run = try await runtime.run(graph(isMended: true).graph, journal: "marks")

        #expect(run.isSuccess)
        #expect(ran.elements == ["first", "second", "third", "last"])
    }

    @Test
    func `the names of such runs are listed as they are`() async throws {
        let runtime = JobRuntime()
        let name = Self.mark + "run"
        _ = try await runtime.run(graph(isMended: false).graph, journal: RunJournal(name))

        #expect(try await runtime.journals.list().map(\.name) == [name])
        try await runtime.journals.drop(name)
        #expect(try await runtime.journals.list().isEmpty)
    }

    @Test
    func `a fork leaves out what is inside of the first node to repeat`() async throws {
        let runtime = JobRuntime()
        let (first, handle) = graph(isMended: false)
        _ = try await runtime.run(first, journal: "marks")

        try await runtime.journals.fork("marks", as: "copy", of: first, from: handle)

        let finished = try await runtime.journals.list().map(\.finishedNodes)
        #expect(finished.map(\.count) == [0, 2])
    }

    @Test(arguments: ["a/b", "a[0]", "a/\u{301}b", "a[\u{301}"])
    func `a path holds what follows its separators, whatever that begins with`(key: String) {
        #expect(JournalPath.root.node("a").holds(key))
        #expect(!JournalPath.root.node("b").holds(key))
    }

    @Test(arguments: ["a", "a~", "ab/c", "a\u{301}/b", ""])
    func `a path does not hold itself or its neighbors`(key: String) {
        #expect(!JournalPath.root.node("a").holds(key))
    }
}
