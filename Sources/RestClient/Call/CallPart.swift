// SPDX-License-Identifier: MIT

import HTTPTypes

/// A value that a feature determines once per call and stores with it, such as the source of its token.
///
/// Each feature has its own type of part, by which it finds the value.
protocol CallPart: AnyObject, Sendable {
    /// A description of the part if only calls with equal parts may share a request; `nil` otherwise.
    var distinction: String? { get }

    /// Returns where the credential in a header field comes from, as a noun and the level that sets it; `nil` if the
    /// part does not set the field.
    func origin(of field: HTTPField.Name, in options: CallOptions) -> (text: String, level: CallOptions.Level?)?

    /// Sets what the request that follows a redirect has for its new URL.
    func complete(_ request: inout OutgoingRequest) throws(RestClientError)
}

extension CallPart {
    var distinction: String? { nil }

    func origin(of field: HTTPField.Name, in options: CallOptions) -> (text: String, level: CallOptions.Level?)? {
        nil
    }

    func complete(_ request: inout OutgoingRequest) throws(RestClientError) {}
}
