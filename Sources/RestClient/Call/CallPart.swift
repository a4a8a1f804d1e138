// SPDX-License-Identifier: MIT

/// A value that a feature settles once for a call and keeps with it, such as the source of its token.
///
/// Each feature has its own type of part, by which it finds the value again.
protocol CallPart: AnyObject, Sendable {
    /// The part in words, if only calls whose parts agree may share a request; `nil` if it makes no difference.
    var distinction: String? { get }

    /// True if nothing that the feature waits for needs the cancellation of the task, see ``CallCancellation``.
    var heedsCall: Bool { get }
}

extension CallPart {
    var distinction: String? { nil }
    var heedsCall: Bool { false }
}
