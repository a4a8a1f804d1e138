// SPDX-License-Identifier: MIT

import HTTPTypes

/// Decides which stored responses an unsafe request invalidates (RFC 9111, section 4.4).
enum Invalidation {
    /// Returns the URLs whose stored responses a response invalidates: that of the request and, on the same origin,
    /// those in the response; none if it is a failure, which changed nothing.
    ///
    /// A 412 says that others have changed the resource, so that what is stored may be outdated.
    static func urls(
        method: HTTPRequest.Method,
        url: String,
        status: HTTPResponse.Status,
        headers: @autoclosure () -> HTTPFields
    ) -> [String] {
        if !method.isSafe, status == .preconditionFailed {
            return [url]
        }
        guard !method.isSafe, (200..<400).contains(status.code) else {
            return []
        }
        let headers = headers()
        let references = [headers.reference(.location), headers.reference(.contentLocation)].compactMap(\.self)
        guard !references.isEmpty, let base = try? HTTPURL(url) else {
            return [url]
        }
        return [url]
            + references.compactMap { try? HTTPURL($0, relativeTo: base) }
            .filter { $0.hasOrigin(of: base) }
            .map(\.textForSending)
    }
}
