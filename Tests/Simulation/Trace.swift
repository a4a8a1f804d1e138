// SPDX-License-Identifier: MIT

/// The steps of a simulation as one number, which depends on each of them and on their order, and as text on request.
///
/// The number leaves out the text, because describing everything would take longer than the simulation.
struct Trace: Sendable {
    /// The digest so far: FNV-1a of 64 bits.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The latest lines.
    private(set) var lines: [String] = []
    /// The number of lines to keep; zero for none.
    var limit = 0

    /// Adds a number.
    mutating func add(_ number: UInt64) {
        digest = (digest ^ number) &* 0x0000_0100_0000_01B3
    }

    /// Adds a line.
    mutating func add(_ line: String, at now: Duration) {
        if lines.count >= 2 * limit {
            lines.removeFirst(limit)
        }
        lines.append("\(now): \(line)")
    }
}
