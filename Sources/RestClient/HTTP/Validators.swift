// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The validators of a response, which distinguish states of a resource (RFC 9110, section 8.8).
struct Validators: Sendable, Equatable {
    let entityTag: String?
    let lastModified: String?
    private let date: String?

    init(_ headers: HTTPFields) {
        entityTag = Self.validator(.eTag, headers)
        lastModified = Self.validator(.lastModified, headers)
        date = headers[.date]
    }

    /// Returns a validator by whose bytes the server can know it again; a transport that reads fields as UTF-8 has put
    /// the replacement character in the place of others.
    private static func validator(_ name: HTTPField.Name, _ headers: HTTPFields) -> String? {
        headers.text(name).flatMap { $0.unicodeScalars.contains("\u{FFFD}") ? nil : $0 }
    }

    var isEmpty: Bool { entityTag == nil && lastModified == nil }

    var tag: EntityTag? { entityTag.flatMap { EntityTag($0) } }

    /// Returns the strong validator, which identifies the exact bytes: a strong tag, or without a tag a modification
    /// date at least a minute before the response's date (RFC 9110, section 8.8.2.2); `nil` if there is none.
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

    /// Returns true if a 304 may confirm the stored response (RFC 9111, section 4.3.4).
    func areConfirmed(by other: Validators) -> Bool {
        if let tag, let confirmed = other.tag {
            return tag.matchesWeakly(confirmed)
        }
        if entityTag == nil, let lastModified, let confirmed = other.lastModified {
            return lastModified.utf8.elementsEqual(confirmed.utf8)
        }
        return true
    }
}
