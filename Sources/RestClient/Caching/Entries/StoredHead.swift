// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The head of a stored response, which is stored beside the body.
struct StoredHead: Sendable, Equatable {
    /// Identifies the body of the head, so that a head is never combined with another body.
    var bodyID: UInt64

    var status: HTTPResponse.Status

    /// The fields, without those of the connection.
    var headers: HTTPFields

    /// The method and the URL of the request.
    var method: HTTPRequest.Method
    var requestURL: String

    /// The URL that responded, if it differs from the request's because of redirects.
    var url: String?

    /// The times of the request and of the response, or those of the latest confirmation.
    var requestTime: Date
    var responseTime: Date

    /// The fields of the request by which the server selected the response.
    var selecting: SelectingFields

    /// The range in the request of a 206.
    var requestedRange: String?

    /// The time at which the redirects that led to the response expire.
    var limit: Date?

    /// True if the response must not be used without contacting the server.
    var isInvalidated = false

    /// True if the model was decoded from the stored bytes, and not from bytes that an interceptor changed.
    var isDecodable = true

    /// Returns true if the redirects that led to the response have expired.
    func isPastLimit(_ now: Date) -> Bool {
        limit.map { now >= $0 } ?? false
    }

    /// Returns the head after the server confirmed it (RFC 9111, section 3.2).
    func updated(by headers: HTTPFields, requestTime: Date, responseTime: Date) -> StoredHead {
        var head = self
        head.headers = StoredFields.updated(self.headers, by: headers)
        head.requestTime = requestTime
        head.responseTime = responseTime
        head.isInvalidated = false
        return head
    }
}
