// SPDX-License-Identifier: MIT

import BenchmarkSupport

/// The cost of one pass of a contender, for each unit of work.
struct Measurement: Sendable {
    /// Nanoseconds.
    let time: Double
    /// Processor time of this process, user and system, in nanoseconds.
    let processorTime: Double

    static func of(_ contender: Contender, count: Int, seed: UInt64) async throws -> Measurement {
        let clock = ContinuousClock()
        let processorStart = ProcessorTime.microseconds()
        let start = clock.now
        try await contender.run(count, seed)
        let elapsed = (clock.now - start) / .nanoseconds(1)
        let processor = (ProcessorTime.microseconds() - processorStart) * 1000
        return Measurement(time: elapsed / Double(count), processorTime: processor / Double(count))
    }
}
