// SPDX-License-Identifier: MIT

import CAllocationCounter

/// The cost of one unit of work.
struct Measurement {
    let nanoseconds: Double
    /// `nil` where allocations are not counted.
    let allocations: Double?

    /// Runs work so many times, after a tenth of that for warming up, off the main actor.
    @concurrent
    static func of(_ count: Int, _ work: @Sendable () async throws -> Void) async rethrows -> Measurement {
        for _ in 0..<count / 10 {
            try await work()
        }
        let clock = ContinuousClock()
        let allocations = allocation_count()
        let start = clock.now
        for _ in 0..<count {
            try await work()
        }
        let each = (clock.now - start) / count
        return Measurement(
            nanoseconds: Double(each.attoseconds) / 1e9,
            allocations: allocations < 0 ? nil : Double(allocation_count() - allocations) / Double(count)
        )
    }
}
