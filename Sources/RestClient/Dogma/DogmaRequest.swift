// SPDX-License-Identifier: MIT

public import HTTPTypes

/// What a dogma is told about the call it encodes or decodes for.
public struct DogmaRequest: Sendable {
    /// The HTTP method.
    public let method: HTTPRequest.Method

    /// The alias of the API operation, when the call names one.
    public let api: String?

    /// The alias of the server, when the call names one.
    public let server: ServerAlias?

    /// The path template as it was written.
    public let template: String
}
