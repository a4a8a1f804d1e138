// SPDX-License-Identifier: MIT

/// When a node began and ended, on the runtime's clock; without optionals, because there is one for each node.
struct NodeTimes: Sendable {
    private var start = Self.never
    private var end = Self.never

    /// The runtime's clock begins at zero.
    private static let never = Duration.seconds(-1)

    /// When it began; `nil` if it did not.
    var started: Duration? {
        get { start < .zero ? nil : start }
        set { start = newValue ?? Self.never }
    }

    /// When it ended; `nil` if it did not begin, or has not ended.
    var ended: Duration? {
        get { end < .zero ? nil : end }
        set { end = newValue ?? Self.never }
    }
}
