// SPDX-License-Identifier: MIT

import HTTPTypes

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
