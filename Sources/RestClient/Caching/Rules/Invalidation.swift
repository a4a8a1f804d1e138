// SPDX-License-Identifier: MIT

import HTTPTypes

/// Which stored answers a request that changed something makes untrue (RFC 9111, section 4.4).
enum Invalidation {
    /// Whether a method leaves everything as it is (RFC 9110, section 9.2.1).
    static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        switch method.rawValue {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY": true
        default: false
        }
    }

    /// The URLs whose stored answers a response makes untrue; none when it is a failure, which changed nothing.
    ///
    /// They are that of the request and, on the same origin, those that the response names.
    static func urls(
        method: HTTPRequest.Method,
        url: String,
        status: HTTPResponse.Status,
        headers: @autoclosure () -> HTTPFields
    ) -> [String] {
        guard !isSafe(method), (200..<400).contains(status.code) else {
            return []
        }
        let base = URLReference(url)
        let headers = headers()
        let named = [headers[.location], headers[.contentLocation]].compactMap { $0 }
            .map { base.resolving(URLReference(PercentEncoding.encode($0, allowing: .unreservedAndReserved))) }
            .filter { $0.origin == base.origin }
            .map(\.textForSending)
        return [url] + named
    }
}
