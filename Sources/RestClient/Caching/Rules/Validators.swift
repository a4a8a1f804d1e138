// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// What tells one state of a resource from another (RFC 9110, section 8.8).
struct Validators: Sendable, Equatable {
    /// The entity tag as it was received.
    let entityTag: String?
    /// The date of the last change as it was received.
    let lastModified: String?
    private let date: String?

    /// Takes the validators of a response.
    init(_ headers: HTTPFields) {
        entityTag = headers[.eTag]
        lastModified = headers[.lastModified]
        date = headers[.date]
    }

    /// Whether there is none to ask with.
    var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// The parsed entity tag.
    var tag: EntityTag? { entityTag.flatMap { EntityTag($0) } }

    /// What identifies the very bytes: a strong tag, or without a tag a date of change that lies a minute before the
    /// response's (RFC 9110, section 8.8.2.2); `nil` when nothing does.
    func strong(now: Date) -> String? {
        if let entityTag {
            return tag?.isWeak == false ? entityTag : nil
        }
        guard let lastModified, let changed = HTTPDate.date(lastModified, now: now),
            let date, let made = HTTPDate.date(date, now: now), made.timeIntervalSince(changed) >= 60
        else {
            return nil
        }
        return lastModified
    }

    /// Whether a response that confirms, a 304, may mean the stored one (RFC 9111, section 4.3.4).
    func areConfirmed(by other: Validators) -> Bool {
        if let tag, let confirmed = other.tag {
            return tag.matchesWeakly(confirmed)
        }
        if entityTag == nil, let lastModified, let confirmed = other.lastModified {
            return lastModified == confirmed
        }
        return true
    }
}
