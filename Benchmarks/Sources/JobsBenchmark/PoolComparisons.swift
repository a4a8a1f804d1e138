// SPDX-License-Identifier: MIT

import RestClient

/// The worker pool against the plainest means of the language.
enum PoolComparisons {
    private static let width = 64

    static func all() -> [Comparison] {
        let manager = RestClientManager()
        manager.workers.size = width
        let job = LocalJob("nothing") {}
        return [
            Comparison(
                title: "one at a time",
                count: 200_000,
                contenders: [
                    Contender(name: "actor semaphore") { count in
                        let semaphore = Semaphore()
                        for _ in 0..<count {
                            await semaphore.take()
                            await semaphore.give()
                        }
                    },
                    Contender(name: "LocalJob") { count in
                        for _ in 0..<count {
                            try await manager.run(job)
                        }
                    },
                ]
            ),
            Comparison(
                title: "batch, 64 at a time",
                count: 100_000,
                contenders: [
                    Contender(name: "TaskGroup of 64") { count in
                        try await BoundedGroup.run(count, width: width) {}
                    },
                    Contender(name: "64 tasks that pull LocalJobs") { count in
                        let next = Index()
                        try await BoundedGroup.run(width, width: width) {
                            while next.take() < count {
                                try await manager.run(job)
                            }
                        }
                    },
                    Contender(name: "concurrently of LocalJobs") { count in
                        let report = await manager.concurrently(Array(repeating: job, count: count))
                        precondition(report.isSuccess)
                    },
                ]
            ),
        ]
    }
}

/// A semaphore as an actor makes it, without waiting.
private actor Semaphore {
    private var free = 64

    func take() {
        free -= 1
    }

    func give() {
        free += 1
    }
}
