// SPDX-License-Identifier: MIT

import BenchmarkSupport
import RestClient

/// The resident memory that waiting nodes take.
enum WaitingMemory {
    private static let count = 100_000

    /// The memory of each, in bytes.
    static func measure() async throws -> [(name: String, bytes: Int)] {
        [
            (
                "nodes that need one that runs",
                try await bytes(waiting: 0) { graph, first in
                    for node in 0..<count {
                        graph.local("\(node)", after: first) { $0 &+ 1 }
                    }
                }
            ),
            (
                "async nodes that wait for a slot",
                try await bytes(waiting: count) { graph, _ in
                    for node in 0..<count {
                        graph.local("\(node)") { () async in node }
                    }
                }
            ),
        ]
    }

    /// The difference that the nodes make while the first one runs and has the only slot, and `waiting` of them wait
    /// for one.
    private static func bytes(waiting: Int, _ fill: (inout JobGraph, JobHandle<Int>) -> Void) async throws -> Int {
        let manager = RestClientManager()
        manager.workers.size = 1
        let (isRunning, tellRunning) = AsyncStream.makeStream(of: Void.self)
        let (isMeasured, tellMeasured) = AsyncStream.makeStream(of: Void.self)
        var graph = JobGraph("waiting")
        let first = graph.local("first") { () async in
            tellRunning.finish()
            for await _ in isMeasured {}
            return 0
        }
        fill(&graph, first)
        let before = ResidentMemory.bytes()
        let execution = try manager.start(graph)
        for await _ in isRunning {}
        while manager.workers.waitingCount < waiting {
            try await Task.sleep(for: .milliseconds(1))
        }
        // Time for the last of them to go to sleep.
        try await Task.sleep(for: .milliseconds(200))
        let after = ResidentMemory.bytes()
        tellMeasured.finish()
        let run = await execution.finished()
        precondition(run.isSuccess)
        return max(0, after - before) / count
    }
}
