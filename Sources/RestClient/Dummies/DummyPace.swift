// SPDX-License-Identifier: MIT

/// How a body comes in pieces.
package struct DummyPace: Sendable, Hashable {
    /// How many bytes a piece has; at least one.
    package let size: Int
    /// How long it takes to the next piece.
    package let interval: Duration

    init(size: Int, interval: Duration) {
        self.size = max(1, size)
        self.interval = max(.zero, interval)
    }

    /// The places in a body at which the pieces end, the last one at its end.
    package func ends(in length: Int) -> [Int] {
        stride(from: 0, to: length, by: size).map { min(length, $0 + size) }
    }
}
