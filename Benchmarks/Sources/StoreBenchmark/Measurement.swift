// SPDX-License-Identifier: MIT

import BenchmarkSupport

/// What one pass of a contender took, each time the work was done.
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
