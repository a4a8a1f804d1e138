// SPDX-License-Identifier: MIT

import BenchmarkSupport
import RestClient
import Synchronization

/// How busy 64 slots are while many jobs of a millisecond go through them.
enum Utilisation {
    private static let width = 64
    private static let count = 64 * 100

    static let contenders: [(name: String, run: @Sendable () async throws -> Double)] = [
        (
            "TaskGroup of 64",
            {
                try await measure { busy in
                    try await BoundedGroup.run(count, width: width) { try await work(busy) }
                }
            }
        ),
        (
            "64 tasks that pull LocalJobs",
            { try await pulled(by: width) }
        ),
        (
            "128 tasks that pull LocalJobs",
            { try await pulled(by: 2 * width) }
        ),
        (
            "concurrently of LocalJobs",
            {
                let manager = RestClientManager()
                manager.workers.size = width
                return try await measure { busy in
                    let job = LocalJob("work") { try await work(busy) }
                    let report = await manager.concurrently(Array(repeating: job, count: count))
                    precondition(report.isSuccess)
                }
            }
        ),
        (
            "JobGraph of local nodes",
            {
                let manager = RestClientManager()
                manager.workers.size = width
                return try await measure { busy in
                    var graph = JobGraph("work")
                    for node in 0..<count {
                        graph.local("\(node)") { () async throws in try await work(busy) }
                    }
                    let run = try await manager.run(graph)
                    precondition(run.isSuccess)
                }
            }
        ),
    ]

    /// The share with so many tasks that each take the next job; those beyond the slots wait for one at any time.
    private static func pulled(by tasks: Int) async throws -> Double {
        let manager = RestClientManager()
        manager.workers.size = width
        let next = Index()
        return try await measure { busy in
            let job = LocalJob("work") { try await work(busy) }
            try await BoundedGroup.run(tasks, width: tasks) {
                while next.take() < count {
                    try await manager.run(job)
                }
            }
        }
    }

    /// The share of the slots' time in which they were busy.
    private static func measure(_ run: (BusyTime) async throws -> Void) async throws -> Double {
        let busy = BusyTime()
        let clock = ContinuousClock()
        let start = clock.now
        try await run(busy)
        return busy.total / ((clock.now - start) * width)
    }

    /// Sleeps for a millisecond, and notes how long that took.
    private static func work(_ busy: BusyTime) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        try await clock.sleep(for: .milliseconds(1))
        busy.add(clock.now - start)
    }
}

/// The time that jobs took together.
final class BusyTime: Sendable {
    private let nanoseconds = Atomic<Int>(0)

    var total: Duration { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }

    func add(_ duration: Duration) {
        nanoseconds.wrappingAdd(Int(duration / .nanoseconds(1)), ordering: .relaxed)
    }
}
