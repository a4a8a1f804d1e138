// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// The run after a compensation.
@Suite(.timeLimit(.minutes(5)))
struct CompensatedRunTests {
    private struct Failed: Error {}

    private let ran = Recorder<String>()

    /// A folder that can be removed, a file in it that cannot, and a node that fails until it is mended.
    private func graph(folder: String, isMended: Bool) -> JobGraph {
        var graph = JobGraph("files")
        let made = graph.local("make folder") { [ran] in
            ran.record("make")
            return folder
        }
        graph.undo("remove folder", of: made) { [ran] _ in ran.record("remove") }
        let written = graph.local("write file", after: made) { [ran] _ in ran.record("write") }
        graph.local("last", after: written) { [ran] _ in
            guard isMended else {
                throw Failed()
            }
            ran.record("last")
        }
        return graph
    }

    @Test(arguments: [("a", ["make", "last"]), ("b", ["make", "write", "last"])])
    func `it repeats compensated nodes, and others only if a result that they depend on differs`(
        folder: String,
        repeated: [String]
    ) async throws {
        let runtime = JobRuntime()
        #expect(try await runtime.run(graph(folder: "a", isMended: false), journal: "files").isSuccess == false)
        #expect(ran.removeAll() == ["make", "write", "remove"])

        #expect(try await runtime.run(graph(folder: folder, isMended: true), journal: "files").isSuccess)

        #expect(ran.elements == repeated)
    }

    /// Two steps; the compensation of the second one needs the result of the first one, which is compensated later.
    private func saga(isMended: Bool) -> JobGraph {
        var graph = JobGraph("saga")
        let account = graph.local("open account") { [ran] in
            ran.record("open")
            return "account"
        }
        let booking = graph.local("book", after: account) { [ran] _ in
            ran.record("book")
            return "booking"
        }
        graph.undo("close account", of: account) { [ran] account in ran.record("close \(account)") }
        graph.undo("cancel", of: booking, after: account) { [ran] booking, account in
            guard isMended else {
                throw Failed()
            }
            ran.record("cancel \(booking) of \(account)")
        }
        graph.local("last", after: booking) { _ in
            guard isMended else {
                throw Failed()
            }
        }
        return graph
    }

    @Test
    func `a failed compensation is repeated with the result of a node that was compensated meanwhile`() async throws {
        let runtime = JobRuntime()
        let failed = try await runtime.run(saga(isMended: false), journal: "saga")
        #expect(failed.compensations.map(\.outcome.isSuccess) == [false, true])
        let listed = try #require(try await runtime.journals.list().first)
        #expect(listed.nodesToCompensate == ["book"])
        #expect(listed.finishedNodes == ["book"])

        let resumed = try await runtime.run(saga(isMended: true), journal: "saga")
        #expect(resumed.statuses == [.notRun, .compensated, .notRun])
        #expect(ran.removeAll() == ["open", "book", "close account", "cancel booking of account"])
        #expect(try await runtime.journals.list().first?.finishedNodes == [])

        #expect(try await runtime.run(saga(isMended: true), journal: "saga").isSuccess)
        #expect(ran.elements == ["open", "book"])
    }
}
