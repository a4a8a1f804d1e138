// SPDX-License-Identifier: MIT

import HTTPTypes

/// Which header fields of a response are stored, and how a later response brings them up to date.
enum StoredFields {
    /// The fields that mean something to one connection or one proxy only (RFC 9111, section 3.1).
    private static let connectionFields: [HTTPField.Name] =
        [
            .connection, .te, .transferEncoding, .upgrade, .proxyAuthenticate, .proxyAuthenticationInfo,
            .proxyAuthorization,
        ]
        + ["Keep-Alive", "Proxy-Connection"].compactMap { HTTPField.Name($0) }

    /// The fields that describe the stored bytes, which a confirmation does not bring anew (RFC 9111, section 3.2).
    private static let bodyFields: Set<HTTPField.Name> = [
        .contentLength, .contentEncoding, .transferEncoding, .contentRange,
    ]

    /// The fields that are no longer true when the stored bytes are replaced by others.
    static let ofTheBytes: [HTTPField.Name] =
        [.contentLength, .contentEncoding, .contentRange]
        + ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"].compactMap { HTTPField.Name($0) }

    /// The fields to keep of a response: without those of its connection, and without those that `no-cache` names, which
    /// must not be used again unasked (RFC 9111, section 5.2.2.4).
    static func storable(_ headers: HTTPFields, control: CacheControl) -> HTTPFields {
        var fields = headers
        let named = FieldList.elements(of: headers[values: .connection]).compactMap { HTTPField.Name(String($0)) }
        for name in connectionFields + named + control.fieldNames(.noCache) {
            fields[name] = nil
        }
        return fields
    }

    /// The stored fields, brought up to date by those of a response that confirms them: a 304, or that of a HEAD.
    static func updated(_ stored: HTTPFields, by update: HTTPFields) -> HTTPFields {
        let update = storable(update, control: CacheControl(update))
        var merged = stored
        // The age before the confirmation is no longer that of the response.
        merged[.age] = nil
        for name in Set(update.map(\.name)).subtracting(bodyFields) {
            merged[fields: name] = update[fields: name]
        }
        return merged
    }
}
