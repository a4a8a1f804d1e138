// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

struct StoredHead: Sendable, Equatable {
    /// Identifies the body of the head, so that a head is never combined with another body.
    var bodyID: UInt64

    var status: HTTPResponse.Status

    var headers: HTTPFields

    var method: HTTPRequest.Method
    var requestURL: String

    /// The URL that responded, if it differs from the request's because of redirects.
    var url: String?

    /// The times of the request and of the response, or those of the latest confirmation.
    var requestTime: Date
    var responseTime: Date

    var selecting: SelectingFields

    var requestedRange: String?

    /// The time at which the redirects that led to the response expire.
    var limit: Date?

    var isInvalidated = false

    /// The time at which the response was invalidated, or changed by the program; `nil` if it was neither.
    var changedAt: Date?

    /// True if the model was decoded from the stored bytes, and not from bytes that an interceptor changed.
    var isDecodable = true

    /// Returns the head after the server confirmed it (RFC 9111, section 3.2).
    func updated(by fetched: FetchedResponse) -> StoredHead {
        var head = self
        head.headers = StoredFields.updated(headers, by: fetched.headers)
        head.requestTime = fetched.requestTime
        head.responseTime = fetched.responseTime
        head.isInvalidated = false
        head.changedAt = nil
        return head
    }

    /// Returns true if another response may take the place of this one: nothing older replaces something newer.
    ///
    /// A response is as old as its request, because the server may have made it at any time since. Responses to
    /// requests of the same time are compared by their `Date` (RFC 9111, section 4). What the clock has not reached was
    /// written before it was set back, and may be replaced.
    func isReplaceable(by other: StoredHead, now: Date) -> Bool {
        let since = latestTime
        let others = other.latestTime
        guard since >= others, since <= now else {
            return true
        }
        guard since == others else {
            return false
        }
        guard let date = ResponseFreshness.date(headers, .date, now: now),
            let otherDate = ResponseFreshness.date(other.headers, .date, now: now)
        else {
            return true
        }
        return otherDate >= date
    }

    /// The time of the request, or of the change if that was later, as a row keeps it.
    ///
    /// A `Date` counts from 2001, and is finer than its seconds since 1970, which a row keeps.
    private var latestTime: Date {
        Date(timeIntervalSince1970: max(requestTime, changedAt ?? requestTime).timeIntervalSince1970)
    }
}

enum StoredFields {
    /// The fields that belong to one connection or one proxy (RFC 9111, section 3.1).
    private static let connectionFields: [HTTPField.Name] =
        [
            .connection, .te, .transferEncoding, .upgrade, .proxyAuthenticate, .proxyAuthenticationInfo,
            .proxyAuthorization,
        ]
        + ["Keep-Alive", "Proxy-Connection"].compactMap { HTTPField.Name($0) }

    /// The fields that describe the stored bytes, which a 304 does not replace (RFC 9111, section 3.2).
    private static let bodyFields: Set<HTTPField.Name> = [
        .contentLength, .contentEncoding, .transferEncoding, .contentRange,
    ]

    static let ofTheBytes: [HTTPField.Name] =
        [.contentLength, .contentEncoding, .contentRange]
        + ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"].compactMap { HTTPField.Name($0) }

    /// Returns the fields of a response to store: without those of its connection, and without those listed by
    /// `no-cache`, which must not be reused without revalidation (RFC 9111, section 5.2.2.4).
    static func storable(_ headers: HTTPFields, control: CacheControl) -> HTTPFields {
        var fields = headers
        let named = FieldList.elements(of: headers[values: .connection]).compactMap { HTTPField.Name(String($0)) }
        for name in connectionFields + named + control.fieldNames(.noCache) {
            fields[name] = nil
        }
        return fields
    }

    static func updated(_ stored: HTTPFields, by update: HTTPFields) -> HTTPFields {
        let update = storable(update, control: CacheControl(update))
        var merged = stored
        // The age before the confirmation does not apply.
        merged[.age] = nil
        // In the order of the update, so that the same responses produce the same fields.
        var names = Set(bodyFields)
        for name in update.map(\.name) where names.insert(name).inserted {
            merged[fields: name] = update[fields: name]
        }
        return merged
    }
}
