// SPDX-License-Identifier: MIT

import HTTPTypes

enum CacheLookup: Sendable, Equatable {
    case use(CacheUse)
    case revalidate(CacheMissReason)
    case complete(range: String, validator: String)
    case fetch(CacheMissReason)
    case refuse(CacheMissReason)
}

struct CacheUse: Sendable, Equatable {
    var age: Duration
    var lifetime: Duration?
    var staleness: CacheExplanation.Staleness?
    var delivery: CacheDelivery
}

enum CacheDelivery: Sendable, Equatable {
    case whole
    case part(Range<Int>, contentRange: String)
    /// As a 304, because the caller already has it.
    case confirmation
}

enum CacheStoring: Sendable, Equatable {
    case store(variedBy: [String])
    case leave(CacheRefusal)
}

struct CacheRequest: Sendable {
    let method: HTTPRequest.Method
    let headers: HTTPFields
    let control: CacheControl
    let range: ByteRange.Demand
    let isConditional: Bool

    init(method: HTTPRequest.Method, headers: HTTPFields) {
        self.method = method
        self.headers = headers
        control = CacheControl(headers)
        range = ByteRange.demand(method, headers)
        isConditional = Preconditions.areOwn(headers)
    }

    /// True if the request has no special requirements: any complete, fresh response is acceptable.
    var isPlain: Bool { control.isEmpty && range == .none && !isConditional && !demandsValidation }

    /// True if the stored response must be revalidated in any case (RFC 9111, sections 5.2.1.4 and 5.4).
    var demandsValidation: Bool {
        if control.contains(.noCache) {
            return true
        }
        guard control.isEmpty, let pragma = Self.pragma, headers.contains(pragma) else {
            return false
        }
        return FieldList.elements(of: headers[values: pragma]).contains { FieldList.token($0) == "no-cache" }
    }

    private static let pragma = HTTPField.Name("Pragma")
}
