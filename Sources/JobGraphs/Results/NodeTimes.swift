// SPDX-License-Identifier: MIT

/// The start and the end of a node, on the runtime's clock; without optionals, because each node has one.
struct NodeTimes: Sendable {
    private var start = Self.never
    private var end = Self.never

    /// The runtime's clock begins at zero.
    private static let never = Duration.seconds(-1)

    var started: Duration? {
        get { start < .zero ? nil : start }
        set { start = newValue ?? Self.never }
    }

    /// The end; `nil` if the node did not begin, or has not ended.
    var ended: Duration? {
        get { end < .zero ? nil : end }
        set { end = newValue ?? Self.never }
    }
}
