// SPDX-License-Identifier: MIT

import BenchmarkSupport

/// The cost of one pass of a contender, for each unit of work.
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
