// SPDX-License-Identifier: MIT

import BenchmarkSupport

/// The cost of one pass of a contender.
struct Measurement: Sendable {
    /// Requests a second.
    let rate: Double
    /// Processor time of this process for each request, user and system, in microseconds.
    let processorTime: Double
    /// The median time of a request, in microseconds.
    let median: Double
    /// The time that one request in a hundred exceeds, in microseconds.
    let percentile99: Double

    /// Makes a number of requests, so many at a time.
    static func of(_ contender: Contender, count: Int, concurrency: Int) async throws -> Measurement {
        let clock = ContinuousClock()
        let processorStart = ProcessorTime.microseconds()
        let start = clock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for worker in 0..<concurrency {
                group.addTask {
                    var times: [Double] = []
                    let share = count / concurrency + (worker < count % concurrency ? 1 : 0)
                    times.reserveCapacity(share)
                    for _ in 0..<share {
                        let begin = clock.now
                        try await contender.request()
                        times.append((clock.now - begin) / .microseconds(1))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let elapsed = (clock.now - start) / .seconds(1)
        let processor = ProcessorTime.microseconds() - processorStart
        let sorted = times.sorted()
        return Measurement(
            rate: Double(count) / elapsed,
            processorTime: processor / Double(count),
            median: sorted[sorted.count / 2],
            percentile99: sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
        )
    }
}
