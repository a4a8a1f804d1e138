// SPDX-License-Identifier: MIT

/// The priority of a job in the queue of the worker pool.
///
/// It matters only while a ``WorkerPool`` is full, and it does not interrupt running work. The wait of a lower priority
/// is bounded, see ``WorkerPool``.
///
/// ```swift
/// let cleaning = LocalJob("clean") { try await clean() }.priority(.low)
/// ```
public enum JobPriority: String, Sendable, Codable, CaseIterable, Comparable {
    /// For work that may come last, such as prefetching and cleaning up.
    case low
    /// The default.
    case normal
    /// For work that a user waits for.
    case high

    /// Returns true if the left priority is served after the right one.
    public static func < (left: JobPriority, right: JobPriority) -> Bool {
        left.level < right.level
    }

    /// The rank among all priorities; the lowest is zero.
    var level: Int {
        switch self {
        case .low: 0
        case .normal: 1
        case .high: 2
        }
    }
}
