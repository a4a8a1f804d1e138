// SPDX-License-Identifier: MIT

public import HTTPTypes

/// A response before the final one, for example 103 with links to fetch early (RFC 9110, section 15.2).
public struct InterimResponse: Sendable, Hashable {
    /// The status: 100, or 102 to 199.
    public var status: HTTPResponse.Status

    /// The header fields.
    public var headers: HTTPFields

    /// Creates an interim response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        self.status = status
        self.headers = headers
    }
}
