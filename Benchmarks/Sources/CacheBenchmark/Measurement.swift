// SPDX-License-Identifier: MIT

import BenchmarkSupport

/// The cost of one pass of a contender, for each response read.
struct Measurement: Sendable {
    /// Microseconds.
    let time: Double
    /// Processor time of this process, user and system, in microseconds.
    let processorTime: Double

    /// Reads responses one after the other, in an order that looks random.
    ///
    /// Each of them is read once before that: a client memoizes fewer requests than all contenders send together.
    static func of(_ contender: Contender, count: Int, answers: Int) async throws -> Measurement {
        for number in 0..<answers {
            try await contender.answer(number)
        }
        let clock = ContinuousClock()
        let processorStart = ProcessorTime.microseconds()
        let start = clock.now
        var number = 0
        for _ in 0..<count {
            // A step that shares no divisor with the number of responses meets all of them.
            number = (number + 7_919) % answers
            try await contender.answer(number)
        }
        let elapsed = (clock.now - start) / .microseconds(1)
        let processor = ProcessorTime.microseconds() - processorStart
        return Measurement(time: elapsed / Double(count), processorTime: processor / Double(count))
    }
}
