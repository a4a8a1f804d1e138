// SPDX-License-Identifier: MIT

import HTTPTypes
import SharedStore

final class CookieTerms: PolicyPart {
    let jar: CookieJar

    /// False if the call sets a `Cookie` field, or leads from `https` to `http`.
    let sends: Bool

    private init(_ jar: CookieJar, sends: Bool) {
        self.jar = jar
        self.sends = sends
    }

    /// Creates the terms from the options of a call, and adds the provider of its field; `nil` if it has no jar.
    static func of(
        _ jar: CookieJar?,
        _ options: CallOptions,
        _ url: String,
        isEncrypted: Bool,
        _ headers: inout HeaderFields
    ) -> CookieTerms? {
        guard let jar else {
            return nil
        }
        let sends =
            isEncrypted && headers.fields[.cookie] == nil && !headers.providers.contains { $0.name == .cookie }
        if sends {
            headers.providers.append(HeaderProvider(name: .cookie) { try jar.field(for: url) })
        }
        return CookieTerms(jar, sends: sends)
    }

    func origin(of field: HTTPField.Name, in options: CallOptions) -> (text: String, level: CallOptions.Level?)? {
        sends && field == .cookie ? ("the cookie jar", options.level(of: .cookies)) : nil
    }

    func complete(_ request: inout OutgoingRequest) throws(RestClientError) {
        guard sends else {
            return
        }
        // On the way from https to http not even cookies without 'Secure' go along.
        let isKept = !request.call.facts.request.redirects.contains(where: \.leavesEncryption)
        let field = isKept ? try jar.field(for: request.url) : nil
        guard field.map({ RowKey($0) }) != request.headers.text(.cookie).map({ RowKey($0) }) else {
            return
        }
        request.headers.set(.cookie, text: field)
        // The cache must see that the response belongs to another session than that of the first request.
        request.call.learn { $0.request.wire?.set(.cookie, text: field) }
    }

    var distinction: String? { "cookies \(ObjectIdentifier(jar))" }
}
