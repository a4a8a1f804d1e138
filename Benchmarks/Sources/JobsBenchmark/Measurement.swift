// SPDX-License-Identifier: MIT

import BenchmarkSupport

/// What one pass of a contender took, each time the work was done.
struct Measurement: Sendable {
    /// Microseconds.
    let time: Double
    /// Processor time of this process, user and system, in microseconds.
    let processorTime: Double

    static func of(_ contender: Contender, count: Int) async throws -> Measurement {
        let count = max(1, count / contender.share)
        let work = try contender.prepare(count)
        let clock = ContinuousClock()
        let processorStart = ProcessorTime.microseconds()
        let start = clock.now
        try await work()
        let elapsed = (clock.now - start) / .microseconds(1)
        let processor = ProcessorTime.microseconds() - processorStart
        return Measurement(time: elapsed / Double(count), processorTime: processor / Double(count))
    }
}
