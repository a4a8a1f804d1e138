// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite struct CriticalPathTests {
    private func path(_ nodes: [RunReport.Node]) -> [String] {
        RunReport.run(nodes).criticalPath.map(\.name)
    }

    @Test
    func `it goes back from the node that ended last to what each node waited for longest`() {
        let nodes = [
            RunReport.node("login", 0, 10),
            RunReport.node("fast", after: ["login"], 10, 20),
            RunReport.node("slow", after: ["login"], 10, 50),
            RunReport.node("sum", after: ["fast", "slow"], 50, 60),
            RunReport.node("aside", after: ["fast"], 20, 55),
        ]

        #expect(path(nodes) == ["login", "slow", "sum"])
    }

    @Test
    func `a report without nodes, or with none that ran, has an empty path`() {
        #expect(path([]).isEmpty)
        #expect(path([RunReport.Node(name: "never", kind: .local, status: .notRun)]).isEmpty)
    }

    @Test
    func `a node that was skipped is not on the path though it had an end`() {
        var skipped = RunReport.node("skipped", after: ["a"], 0, 90)
        skipped.started = nil

        #expect(path([RunReport.node("a", 0, 10), skipped]) == ["a"])
    }

    @Test
    func `of nodes that ended together the one added first counts`() {
        #expect(path([RunReport.node("a", 0, 10), RunReport.node("b", 0, 10)]) == ["a"])
        #expect(
            path([
                RunReport.node("a", 0, 10), RunReport.node("b", 0, 10),
                RunReport.node("c", after: ["b", "a"], 10, 20),
            ]) == ["a", "c"]
        )
    }

    @Test
    func `circles and unknown names end the path instead of the process`() {
        let nodes = [
            RunReport.node("a", after: ["b", "nobody"], 0, 10),
            RunReport.node("b", after: ["a", "b"], 10, 20),
        ]

        #expect(path(nodes) == ["b"])
        #expect(path([nodes[0], RunReport.node("b", after: ["a"], 10, 20)]) == ["a", "b"])
    }

    @Test
    func `nodes inside a node have a path of their own`() {
        let details = RunReport.sample.nodes[3]

        #expect(details.criticalPath.map(\.name) == ["details[2]"])
    }

    @Test
    func `a chain of 100,000 nodes is walked in one go`() {
        let nodes = (0..<100_000)
            .map { RunReport.node("\($0)", after: $0 == 0 ? [] : ["\($0 - 1)"], $0, $0 + 1) }

        #expect(path(nodes).count == 100_000)
    }

    @Test
    func `a node that waited for a slot leads to the one that held it`() {
        var second = RunReport.node("second", 0, 30)
        second.spans = [RunReport.Span(.queued, start: .zero, end: .milliseconds(10))]
        let nodes = [RunReport.node("first", 0, 10), second, RunReport.node("aside", 0, 25)]

        #expect(path(nodes) == ["first", "second"])
    }

    @Test(arguments: [RunReport.Status.fromCache, .resumed])
    func `a node that waited for a slot does not lead to one that needed none`(status: RunReport.Status) {
        var second = RunReport.node("second", 0, 30)
        second.spans = [RunReport.Span(.queued, start: .zero, end: .milliseconds(10))]
        var stored = RunReport.node("stored", 0, 10)
        stored.status = status
        let nodes = [stored, RunReport.node("first", 0, 8), second]

        #expect(path(nodes) == ["first", "second"])
        // An element that waited for its turn waited for any other one.
        second.spans = []
        second.started = .milliseconds(10)
        second.queued = .zero
        #expect(path([stored, RunReport.node("first", 0, 8), second]) == ["stored", "second"])
    }

    @Test
    func `a node that waited for no slot leads to its dependency, whatever ended meanwhile`() {
        var last = RunReport.node("last", after: ["first"], 20, 30)
        last.queued = .milliseconds(10)
        let nodes = [RunReport.node("first", 0, 10), RunReport.node("aside", 0, 15), last]

        #expect(path(nodes) == ["first", "last"])
    }

    @Test
    func `an element that waited for its turn leads to the one before it`() {
        let elements = (0..<6)
            .map { index in
                var element = RunReport.node("detail[\(index)]", index / 2 * 10, index / 2 * 10 + 10)
                element.queued = .zero
                return element
            }
        var loop = RunReport.node("detail", 0, 30)
        loop.children = elements

        #expect(loop.criticalPath.map(\.name) == ["detail[0]", "detail[2]", "detail[4]"])
    }

    @Test
    func `the steps add up to the whole run`() {
        var loop = RunReport.node("loop", 10, 40)
        loop.dependencies = ["login"]
        loop.children = (0..<3)
            .map { index in
                var element = RunReport.node("loop[\(index)]", 10 + index * 10, 19 + index * 10)
                element.queued = .milliseconds(10)
                return element
            }
        var report = RunReport.run([RunReport.node("login", 2, 10), loop])
        report.duration = .milliseconds(41)
        let steps = report.criticalSteps

        #expect(steps.reduce(Duration.zero) { $0 + $1.duration } == report.duration)
        #expect(
            steps.map { $0.path.joined(separator: "/") } == [
                "login", "loop/loop[0]", "loop/loop[1]", "loop/loop[2]", "loop", "",
            ]
        )
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.end == $1.start })
    }

    @Test
    func `a wait for a slot is followed out of a loop, to the element of another one that held it`() {
        func loop(_ name: String, after dependency: String? = nil, _ elements: (Int, Int, Int)...) -> RunReport.Node {
            var loop = RunReport.node(name, elements.map(\.1).min() ?? 0, elements.map(\.2).max() ?? 0)
            loop.dependencies = [dependency].compactMap(\.self)
            loop.children = elements.enumerated()
                .map { index, times in
                    var element = RunReport.node("\(name)[\(index)]", times.1, times.2)
                    element.queued = .milliseconds(times.0)
                    if times.1 > times.0 {
                        element.spans = [
                            RunReport.Span(.queued, start: .milliseconds(times.0), end: .milliseconds(times.1))
                        ]
                    }
                    return element
                }
            return loop
        }
        // One slot: the elements of both loops take turns.
        let nodes = [loop("a", (0, 0, 10), (0, 20, 30)), loop("b", (0, 10, 20), (0, 30, 40))]
        var after = RunReport.node("after", 40, 50)
        after.queued = .milliseconds(5)
        after.spans = [RunReport.Span(.queued, start: .milliseconds(5), end: .milliseconds(40))]
        let steps = RunReport.run(nodes + [after]).criticalSteps

        #expect(steps.map { $0.path.joined(separator: "/") } == ["a/a[0]", "b/b[0]", "a/a[1]", "b/b[1]", "after"])
        #expect(steps.map(\.start) == (0..<5).map { .milliseconds($0 * 10) })
        #expect(steps.allSatisfy { $0.duration == .milliseconds(10) })
    }

    @Test
    func `a wait before a second attempt is followed to whoever held the slot until then`() {
        func node(_ name: String, _ spans: (RunReport.Phase, Int)...) -> RunReport.Node {
            var time = 0
            var node = RunReport.node(name, 0, spans.last?.1 ?? 0)
            node.spans = spans.map { phase, end in
                defer { time = end }
                return RunReport.Span(phase, start: .milliseconds(time), end: .milliseconds(end))
            }
            return node
        }
        // One slot. Both nodes fail once and wait for 5 ms; a third one begins in between.
        let nodes = [
            node("a", (.running, 10), (.backoff, 15), (.queued, 20), (.running, 30)),
            node("b", (.queued, 10), (.running, 20), (.backoff, 25), (.queued, 70), (.running, 80)),
            node("c", (.queued, 30), (.running, 70)),
        ]
        let report = RunReport.run(nodes)
        let steps = report.criticalSteps

        #expect(steps.map { $0.path.joined() } == ["a", "b", "a", "c", "b"])
        #expect(steps.map(\.end) == [10, 20, 30, 70, 80].map { .milliseconds($0) })
        #expect(path(nodes) == ["a", "c", "b"])
        // Without anybody else, the time is the node's own.
        #expect(RunReport.run([nodes[1]]).criticalSteps.map { $0.path.joined() } == ["b"])
    }

    @Test
    func `the end of a request's attempt gives its slot to others, though another attempt follows`() {
        func span(_ phase: String, _ attempt: Int, _ start: Int, _ end: Int) -> RunReport.Span {
            let phase = RunReport.Phase(rawValue: phase)
            return RunReport.Span(phase, attempt: attempt, start: .milliseconds(start), end: .milliseconds(end))
        }
        var (first, second) = (RunReport.node("first", 0, 45), RunReport.node("second", 0, 30))
        first.spans = [
            span("sending", 1, 0, 10), span("queued", 2, 20, 30), span("sending", 2, 30, 40),
            span("decoding", 2, 40, 45),
        ]
        second.spans = [span("queued", 1, 0, 10), span("sending", 1, 10, 30)]
        var third = RunReport.node("third", 0, 60)
        // It got the slot while the first one's response was decoded.
        third.spans = [span("queued", 1, 0, 41), span("sending", 1, 41, 60)]
        let steps = RunReport.run([first, second, third]).criticalSteps

        #expect(steps.map { $0.path.joined() } == ["first", "second", "first", "third"])
        #expect(steps.map(\.end) == [10, 30, 40, 60].map { .milliseconds($0) })
    }

    @Test
    func `100,000 nodes that wait for one slot are walked in one go`() {
        let nodes = (0..<100_000)
            .map { number in
                var node = RunReport.node("\(number)", 0, number + 1)
                node.spans = [
                    RunReport.Span(.queued, start: .zero, end: .milliseconds(number)),
                    RunReport.Span(.running, start: .milliseconds(number), end: .milliseconds(number + 1)),
                ]
                return node
            }

        #expect(RunReport.run(nodes).criticalSteps.count == 100_000)
    }

    @Test
    func `the steps of a limited run are its elements, whichever loop they belong to`() async throws {
        let clock = ManualClock()
        let runtime = JobRuntime(workerCount: 1, clock: clock)
        var graph = JobGraph("limited")
        let items = graph.input("items", [1, 2, 3])
        for name in ["a", "b"] {
            graph.forEach(name, in: items) { item async in
                clock.advance(by: .milliseconds(10))
                return item
            }
        }
        // Both loops begin before the first element does, however late their threads are.
        let gate = Gate()
        let holder = Task { await runtime.concurrently([LocalJob("holder") { try await gate.wait() }]) }
        try await gate.waitForWaiters(count: 1)
        let execution = try runtime.start(graph)
        try await runtime.workers.wait { $0.waiting == 2 }
        gate.open()
        _ = await holder.value
        let report = await execution.finished().report
        let steps = report.criticalSteps

        #expect(report.duration == .milliseconds(60))
        #expect(steps.reduce(Duration.zero) { $0 + $1.duration } == report.duration)
        // A loop may be told of the end of its last element while the other one's last element runs.
        let elements: Set = ["a[0]", "a[1]", "a[2]", "b[0]", "b[1]", "b[2]"]
        let found = elements.intersection(steps.map { $0.path.last ?? "" })
        #expect(found.count >= 5)
        #expect(steps.allSatisfy { $0.duration == .milliseconds(10) })
    }

    @Test
    func `circles end the steps instead of the process, and a chain of 100,000 nodes is walked in one go`() {
        let circle = [RunReport.node("a", after: ["b"], 0, 10), RunReport.node("b", after: ["a"], 10, 20)]
        #expect(RunReport.run(circle).criticalSteps.map(\.path) == [["a"], ["b"]])

        let nodes = (0..<100_000)
            .map { RunReport.node("\($0)", after: $0 == 0 ? [] : ["\($0 - 1)"], $0, $0 + 1) }
        #expect(RunReport.run(nodes).criticalSteps.count == 100_000)
    }
}
