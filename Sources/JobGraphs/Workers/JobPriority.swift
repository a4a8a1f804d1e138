// SPDX-License-Identifier: MIT

/// The precedence of a request or a local job when work waits for a worker.
///
/// It matters only while a ``WorkerPool`` is full; it interrupts no running work. How long a lower priority may have to
/// wait is bounded, see ``WorkerPool``.
///
/// ```swift
/// let prefetch = manager.request(.orders).priority(.low)
/// ```
public enum JobPriority: String, Sendable, Codable, CaseIterable, Comparable {
    /// For work that may come last: fetching ahead, cleaning up.
    case low
    /// The default.
    case normal
    /// For work that a person waits for.
    case high

    /// True if the left one is served later than the right one.
    public static func < (left: JobPriority, right: JobPriority) -> Bool {
        left.level < right.level
    }

    /// The place among all priorities, the lowest being zero.
    var level: Int {
        switch self {
        case .low: 0
        case .normal: 1
        case .high: 2
        }
    }
}
