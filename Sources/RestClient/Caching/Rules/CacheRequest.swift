// SPDX-License-Identifier: MIT

import HTTPTypes

/// What the rules of the cache look at in a request.
struct CacheRequest: Sendable {
    let method: HTTPRequest.Method
    let headers: HTTPFields
    let control: CacheControl
    let range: ByteRange.Demand
    /// Whether the request has a condition of the caller's own.
    let isConditional: Bool

    init(method: HTTPRequest.Method, headers: HTTPFields) {
        self.method = method
        self.headers = headers
        control = CacheControl(headers)
        range = ByteRange.demand(method, headers)
        isConditional = Preconditions.areOwn(headers)
    }

    /// Whether the server is to be asked whatever is stored (RFC 9111, sections 5.2.1.4 and 5.4).
    var demandsValidation: Bool {
        if control.contains(.noCache) {
            return true
        }
        guard control.isEmpty, let pragma = Self.pragma, headers.contains(pragma) else {
            return false
        }
        return FieldList.elements(of: headers[values: pragma]).contains { $0.lowercased() == "no-cache" }
    }

    /// What HTTP/1.0 has in the place of `Cache-Control`.
    private static let pragma = HTTPField.Name("Pragma")
}
