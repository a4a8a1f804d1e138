// SPDX-License-Identifier: MIT

/// Opens a gate when it is released.
///
/// A task may hold what it worked with a moment longer than who waited for its result. So tests wait for the gate,
/// under the time limit of their suite.
package final class ReleaseWatch: Sendable {
    private let gate: Gate

    /// Creates an object that opens the gate at its end.
    package init(_ gate: Gate) {
        self.gate = gate
    }

    deinit {
        gate.open()
    }
}
