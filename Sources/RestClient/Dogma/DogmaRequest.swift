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

    /// The names of members in the call's bodies; `nil` leaves them to the dogma.
    public let keyStrategy: KeyStrategy?

    /// The format of dates in the call's bodies; `nil` leaves it to the dogma.
    public let dateStrategy: DateStrategy?
}
