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
}
