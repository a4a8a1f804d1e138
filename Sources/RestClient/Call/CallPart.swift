// SPDX-License-Identifier: MIT

/// A value that a feature determines once per call and stores with it, such as the source of its token.
///
/// Each feature has its own type of part, by which it finds the value.
protocol CallPart: AnyObject, Sendable {
    /// A description of the part if only calls with equal parts may share a request; `nil` otherwise.
    var distinction: String? { get }

    /// True if nothing that the feature waits for needs the cancellation of the task, see ``CallCancellation``.
    var heedsCall: Bool { get }
}

extension CallPart {
    var distinction: String? { nil }
    var heedsCall: Bool { false }
}
