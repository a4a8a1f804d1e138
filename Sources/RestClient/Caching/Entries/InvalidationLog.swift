// SPDX-License-Identifier: MIT

/// Records invalidated URLs, so that a response that was under way at the time is not stored: it may show the state
/// before the change.
struct InvalidationLog: Sendable {
    /// A moment between invalidations.
    struct Moment: Sendable, Comparable {
        fileprivate var number: UInt64 = 0

        static func < (left: Moment, right: Moment) -> Bool {
            left.number < right.number
        }
    }

    /// The number of URLs that are remembered.
    static let limit = 1_024

    /// The present moment.
    private(set) var now = Moment()

    private var latest: [String: Moment] = [:]
    /// The moment at which everything was invalidated, or anything that is no longer remembered.
    private var floor = Moment()

    /// Notes that the responses with a prefix are invalidated.
    mutating func invalidate(_ prefix: String) {
        now.number += 1
        if latest.count >= Self.limit {
            latest.removeAll(keepingCapacity: true)
            floor = now
        }
        latest[prefix] = now
    }

    /// Notes that all responses are invalidated.
    mutating func invalidateAll() {
        now.number += 1
        latest.removeAll()
        floor = now
    }

    /// Returns true if a response with a prefix that was asked for at a moment may still be stored.
    func allows(_ prefix: String, askedAt moment: Moment) -> Bool {
        moment >= floor && latest[prefix].map { moment >= $0 } ?? true
    }
}
