// SPDX-License-Identifier: MIT

public import HTTPTypes

/// The call for which a dogma encodes or decodes.
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
