// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite
struct JobGraphTests {
    private let runtime = JobRuntime()

    private func codes(_ graph: JobGraph) -> [JobGraphError.Code] {
        graph.defectsFound.map(\.code)
    }

    /// The error that a run of a graph throws before it begins.
    private func failure(of graph: JobGraph) async -> JobGraphError? {
        do {
            _ = try await runtime.run(graph)
            return nil
        } catch {
            return error as? JobGraphError
        }
    }

    // MARK: - Mistakes

    @Test
    func `a sound graph passes its check`() throws {
        var graph = JobGraph("sound")
        let first = graph.local("first") { 1 }
        let second = graph.local("second", after: first) { $0 + 1 }
        graph.order(first, before: second)
        try graph.check()
        #expect(graph.count == 2)
    }

    @Test
    func `a name given twice is an error that names it`() async {
        var graph = JobGraph("twins")
        graph.local("same") { 1 }
        graph.local("same") { 2 }
        let error = await failure(of: graph)
        #expect(error?.code == .duplicateJobName)
        #expect(error?.message.contains("'same'") == true)
    }

    @Test
    func `a circle is an error that names its nodes in order`() async {
        let ran = Counter()
        var graph = JobGraph("round")
        let first = graph.local("first") { ran.next() }
        let second = graph.local("second", after: first) { _ in ran.next() }
        let third = graph.local("third", after: second) { _ in ran.next() }
        graph.local("behind", after: third) { _ in ran.next() }
        graph.order(third, before: first)
        let error = await failure(of: graph)
        #expect(error?.code == .graphCycle)
        #expect(error?.message.contains("'first' → 'second' → 'third' → 'first'") == true)
        #expect(ran.value == 0)
    }

    @Test
    func `a node that is to run before itself is a circle`() {
        var graph = JobGraph("self")
        let node = graph.local("node") { 1 }
        graph.order(node, before: node)
        #expect(codes(graph) == [.graphCycle])
    }

    @Test
    func `a handle of another graph is an error that names both nodes`() throws {
        var other = JobGraph("other")
        let foreign = other.local("foreign") { 1 }
        var graph = JobGraph("graph")
        graph.local("own") { 1 }
        graph.local("user", after: foreign) { $0 }
        let error = try #require(graph.defectsFound.first)
        #expect(error.code == .unknownJobHandle)
        #expect(error.message.contains("'user'"))
        #expect(error.message.contains("'foreign'"))
    }

    @Test
    func `a copy of a graph knows the handles of the copied nodes, and no others`() throws {
        var graph = JobGraph("graph")
        let shared = graph.local("shared") { 1 }
        var copy = graph
        let first = graph.local("first", after: shared) { $0 }
        let second = copy.local("second", after: shared) { $0 }
        try graph.check()
        try copy.check()
        copy.order(first, before: second)
        #expect(codes(copy) == [.unknownJobHandle])
    }

    @Test
    func `every mistake is found, those of graphs inside too`() {
        var inside = JobGraph("inside")
        let output = inside.local("a") { 1 }
        inside.local("a") { 2 }
        var graph = JobGraph("outside")
        let node = graph.subgraph("sub", inside, output: output)
        graph.order(node, before: output)
        graph.local("sub") { 3 }
        #expect(codes(graph) == [.unknownJobHandle, .duplicateJobName, .duplicateJobName])
        #expect(graph.defectsFound.last?.message.contains("'sub'") == true)
    }

    @Test
    func `a node has one compensation`() {
        var graph = JobGraph("graph")
        let node = graph.local("node") { 1 }
        graph.undo("first", of: node) { _ in }
        graph.undo("second", of: node) { _ in }
        #expect(codes(graph) == [.duplicateJobName])
    }

    // MARK: - Drawings

    private var drawn: JobGraph {
        var inside = JobGraph("inside")
        let output = inside.local("step") { 1 }
        var graph = JobGraph("a \"quoted\" name")
        let login = graph.job("login") { Request() }
        let isNew = graph.condition("new?", after: login) { $0.isEmpty }
        let work = graph.local("<b>work</b>", after: login, options: [.onlyIf(isNew)]) { $0.count }
        let sub = graph.subgraph("sub", inside, output: output)
        graph.fallback("recover", for: work) { _ in 0 }
        graph.order(sub, before: work)
        graph.undo("undo", of: login) { _ in }
        return graph
    }

    @Test
    func `the Mermaid drawing shows nodes, edges and inner nodes; names are only text`() {
        #expect(
            drawn.mermaid == """
                flowchart TD
                    n0["login"]
                    n1{"new#63;"}
                    n2("#60;b#62;work#60;/b#62;")
                    subgraph n3["sub"]
                        n3_0("step")
                    end
                    n4{{"recover"}}
                    n0 --> n1
                    n0 --> n2
                    n1 -- if --> n2
                    n2 -. any end .-> n4
                    n3 -.-> n2
                    n0u>"undo"]
                    n0 -. undo .-> n0u

                """
        )
    }

    @Test
    func `the DOT drawing shows the same`() {
        #expect(
            drawn.dot == #"""
                digraph "a \"quoted\" name" {
                    rankdir=TB;
                    node [fontname="Helvetica"];
                    n0 [label="login", shape=box];
                    n1 [label="new?", shape=diamond];
                    n2 [label="<b>work</b>", shape=ellipse];
                    n3 [label="sub", shape=box3d];
                    subgraph cluster_n3 {
                        label="inside";
                        n3_0 [label="step", shape=ellipse];
                    }
                    n4 [label="recover", shape=hexagon];
                    n0 -> n1;
                    n0 -> n2;
                    n1 -> n2 [label="if"];
                    n2 -> n4 [style=dashed, label="any end"];
                    n3 -> n2 [style=dashed];
                    n0u [label="undo", shape=note];
                    n0 -> n0u [style=dotted, label="undo"];
                }

                """#
        )
    }

    @Test
    func `no name ends its text in a drawing`() {
        // The first sign binds to the quote behind it, as one character.
        var graph = JobGraph("g\u{600}\"]; x\r\ny\u{202E}")
        graph.local("x\u{600}\"]; n9 [label=pwn]; //\u{1B}\\\u{301}\"") {}

        #expect(Array(graph.dot.utf8).split(separator: UInt8(ascii: "\n")).count == 5)
        #expect(graph.dot.contains(#"[label="x\#u{600}\"]; n9 [label=pwn]; //\\u{1B}\\\#u{301}\"", shape=ellipse];"#))
        #expect(graph.dot.hasPrefix("digraph \"g\u{600}\\\"]; x\\ny\\\\u{202E}\" {"))
        #expect(!graph.mermaid.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{1B}" })
    }

    @Test
    func `an empty graph can be drawn`() {
        #expect(JobGraph("empty").mermaid == "flowchart TD\n")
        #expect(JobGraph("empty").dot.hasPrefix("digraph \"empty\" {"))
    }
}
