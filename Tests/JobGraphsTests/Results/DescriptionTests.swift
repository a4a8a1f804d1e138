// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// Outcomes, nodes, groups, runs and journals as they print.
@Suite(.timeLimit(.minutes(5)))
struct DescriptionTests {
    private struct Failed: Error, CustomStringConvertible {
        var description: String { "it broke\nat once" }
    }

    private let runtime = JobRuntime(workerCount: 4, clock: ManualClock())

    @Test(arguments: [
        (JobOutcome<String>.success("a\nb"), #"success: a\u{A}b"#),
        (.failure(Failed()), #"failure: it broke\u{A}at once"#),
        (.cancelled, "cancelled"), (.skipped, "skipped"), (.notRun, "not run"),
    ])
    func `an outcome is one line`(outcome: JobOutcome<String>, text: String) {
        #expect(outcome.description == text)
    }

    @Test
    func `outcomes without a value, and of values with a name, read well`() {
        struct User: Sendable {
            var id: Int
        }
        #expect("\(JobOutcome<Void>.success(()))" == "success")
        #expect("\([JobOutcome<User>.success(User(id: 1)), .notRun])" == "[success: User(id: 1), not run]")
    }

    @Test
    func `a group counts, and names its first error`() {
        let outcomes: [JobOutcome<Int>] = [.success(1), .failure(Failed()), .notRun]
        #expect(
            "\(GroupReport(id: GroupID(), outcomes: outcomes))"
                == #"3 jobs: 1 succeeded, 1 failed, 1 not run; first error: it broke\u{A}at once"#
        )
        #expect("\(GroupReport<Int>(id: GroupID(), outcomes: [.success(1)]))" == "1 job: 1 succeeded")
    }

    @Test
    func `a node says its status, its time and its error`() async throws {
        var graph = JobGraph("nodes")
        let bad = graph.local("bad") { () throws -> Int in throw Failed() }
        graph.local("behind", after: bad) { $0 }

        let run = try await runtime.run(graph)

        #expect(run.nodes.map(\.description) == [#"bad: failed after 0 ns: it broke\u{A}at once"#, "behind: skipped"])
    }

    @Test
    func `a step of the critical path is its path and its interval`() {
        let path = ["items", "items[3]"]
        let step = RunReport.CriticalStep(path: path, start: .seconds(1), end: .milliseconds(1_200))
        #expect(step.description == "items › items[3]: 200 ms, from 1 s to 1.2 s")
        #expect(RunReport.CriticalStep(path: [], start: .zero, end: .seconds(1)).description.hasPrefix("no node: 1 s"))
    }

    @Test
    func `resumed work is named, and elements are counted`() {
        var users = RunReport.node("users", 0, 1)
        users.status = .resumed
        var loop = RunReport.node("orders", 1, 9)
        loop.kind = .forEach
        loop.children = ["page 1", "orders[0]", "orders[1]"].map { RunReport.node($0, 1, 9) }
        loop.children[1].status = .resumed
        var sub = RunReport.node("sub", 1, 9)
        sub.kind = .graph
        sub.children = [users, RunReport.node("rest", 1, 9)]

        #expect([users, loop, sub].resumedWork == "users, 1 of 2 elements of orders, sub/users")
        #expect([RunReport.node("a", 0, 1)].resumedWork == nil)
        #expect(Array(repeating: users, count: 14).resumedWork?.hasSuffix("users, and 2 more") == true)
    }

    @Test
    func `a run that was resumed says what was resumed`() async throws {
        let isBroken = Counter()
        func graph() -> JobGraph {
            var graph = JobGraph("nightly")
            let first = graph.local("first") { 1 }
            let numbers = graph.input("numbers", [1, 2])
            let loop = graph.forEach("double", in: numbers, limit: 1) { number in
                LocalJob("double") {
                    if number == 2, isBroken.next() == 1 {
                        throw Failed()
                    }
                    return number * 2
                }
            }
            graph.local("sum", after: first, loop) { first, loop in loop.reduce(first, +) }
            return graph
        }

        _ = try await runtime.run(graph(), journal: "nightly")
        let journal = try #require(try await runtime.journals.list().first?.description)
        #expect(journal.hasPrefix("nightly: failed, begun "))
        #expect(journal.contains(" UTC, ") && journal.contains(" finished"))
        let run = try await runtime.run(graph(), journal: "nightly")

        #expect(run.isSuccess)
        #expect(run.description.contains("; resumed: first, 1 of 2 elements of double"))
    }
}
