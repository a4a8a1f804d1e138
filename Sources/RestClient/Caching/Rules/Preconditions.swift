// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The conditions of requests (RFC 9110, section 13).
enum Preconditions {
    private static let names: [HTTPField.Name] = [
        .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange,
    ]

    static func areOwn(_ headers: HTTPFields) -> Bool {
        names.contains { headers.contains($0) }
    }

    /// Returns the fields that revalidate a stored response (RFC 9111, section 4.3.1); validators are sent back exactly
    /// as they were received.
    static func validating(_ validators: Validators) -> HTTPFields {
        var fields: HTTPFields = [:]
        if let entityTag = validators.entityTag {
            fields.set(.ifNoneMatch, text: entityTag)
        }
        if let lastModified = validators.lastModified {
            fields.set(.ifModifiedSince, text: lastModified)
        }
        return fields
    }

    /// Returns true if the caller already has the stored response (RFC 9111, section 4.3.2); `nil` if only the server
    /// can evaluate the condition.
    static func isKnown(_ stored: Validators, to request: HTTPFields, now: Date) -> Bool? {
        if request.contains(.ifMatch) || request.contains(.ifUnmodifiedSince) {
            return nil
        }
        let tags = FieldList.elements(of: request.texts(.ifNoneMatch))
        if !tags.isEmpty {
            guard let tag = stored.tag else {
                return tags.contains { FieldList.token($0) == "*" }
            }
            return tags.contains { FieldList.token($0) == "*" || EntityTag($0)?.matchesWeakly(tag) == true }
        }
        guard let since = request[.ifModifiedSince].flatMap({ HTTPDate.date($0, now: now) }),
            let changed = stored.lastModified.flatMap({ HTTPDate.date($0, now: now) })
        else {
            return false
        }
        return changed <= since
    }

    /// Returns true if a requested part may be taken from a stored response (RFC 9110, section 13.1.5): the caller's
    /// other parts must belong to the same bytes.
    static func allowsRange(_ stored: Validators, _ request: HTTPFields, now: Date) -> Bool {
        guard let condition = request.text(.ifRange) else {
            return true
        }
        if let wanted = EntityTag(condition), condition.utf8.contains(UInt8(ascii: "\"")) {
            return stored.tag?.matchesStrongly(wanted) == true
        }
        return stored.entityTag == nil
            && stored.strong(now: now).map { $0.utf8.elementsEqual(condition.utf8) } ?? false
    }
}
