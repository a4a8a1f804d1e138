// SPDX-License-Identifier: MIT

/// Records invalidated URLs, so that a response requested before the invalidation is not stored, because it may show
/// the earlier state.
struct InvalidationLog: Sendable {
    struct Moment: Sendable, Comparable {
        fileprivate var number: UInt64 = 0

        static func < (left: Moment, right: Moment) -> Bool {
            left.number < right.number
        }
    }

    static let limit = 1_024

    private(set) var now = Moment()

    private var latest: [String: Moment] = [:]
    /// The moment at which everything, or a URL that is no longer recorded, was invalidated.
    private var floor = Moment()

    mutating func invalidate(_ prefix: String) {
        now.number += 1
        if latest.count >= Self.limit {
            latest.removeAll(keepingCapacity: true)
            floor = now
        }
        latest[prefix] = now
    }

    mutating func invalidateAll() {
        now.number += 1
        latest.removeAll()
        floor = now
    }

    func allows(_ prefix: String, askedAt moment: Moment) -> Bool {
        moment >= floor && latest[prefix].map { moment >= $0 } ?? true
    }
}
