// SPDX-License-Identifier: MIT

/// How early a request or a local job is served when work waits for a worker.
///
/// It matters only while a ``WorkerPool`` is full; nobody is interrupted for it. How long a lower priority may have to
/// wait is bounded, see ``WorkerPool``.
///
/// ```swift
/// let prefetch = manager.request(.orders).priority(.low)
/// ```
public enum JobPriority: String, Sendable, Codable, CaseIterable, Comparable {
    /// What may come last: fetching ahead, cleaning up.
    case low
    /// What nobody gave another priority.
    case normal
    /// What somebody waits for.
    case high

    /// Whether the left one is served later than the right one.
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
