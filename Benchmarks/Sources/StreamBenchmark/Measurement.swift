// SPDX-License-Identifier: MIT

import BenchmarkSupport

/// The cost of one transfer of a contender.
struct Measurement: Sendable {
    /// Megabytes a second.
    let rate: Double
    /// Processor time of this process, or of the contender's own, for a gibibyte, user and system, in milliseconds.
    let processorTime: Double
    /// The growth of the most memory that was resident, in mebibytes.
    let growth: Double

    /// Moves so many bytes.
    static func of(_ contender: Contender, count: Int) async throws -> Measurement {
        let clock = ContinuousClock()
        let memory = ResidentMemory.peakBytes()
        let processor = processorTime()
        let start = clock.now
        try await contender.transfer(count)
        let elapsed = (clock.now - start) / .seconds(1)
        return Measurement(
            rate: Double(count) / elapsed / 1_000_000,
            processorTime: (processorTime() - processor) / 1_000 / (Double(count) / Double(1 << 30)),
            growth: Double(ResidentMemory.peakBytes() - memory) / Double(1 << 20)
        )
    }

    private static func processorTime() -> Double {
        ProcessorTime.microseconds() + ProcessorTime.microsecondsOfChildren()
    }
}
