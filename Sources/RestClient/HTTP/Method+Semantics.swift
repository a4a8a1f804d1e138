// SPDX-License-Identifier: MIT

package import HTTPTypes

/// The semantics of methods (RFC 9110, section 9.2, and the registry of methods), as far as this library uses them.
extension HTTPRequest.Method {
    /// True for methods that change nothing (RFC 9110, section 9.2.1).
    package var isSafe: Bool {
        switch rawValue {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY": true
        default: false
        }
    }

    /// True for methods for which sending a request twice has the same effect as sending it once (RFC 9110, section
    /// 9.2.2).
    var isIdempotent: Bool {
        switch rawValue {
        case "PUT", "DELETE": true
        default: isSafe
        }
    }

    /// True for GET and HEAD: a body has no meaning, and the response may be stored (RFC 9110, sections 9.3.1 and
    /// 9.3.2).
    var isRetrieval: Bool { self == .get || self == .head }
}
