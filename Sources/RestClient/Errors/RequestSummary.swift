// SPDX-License-Identifier: MIT

public import HTTPTypes
import RestEssentials

/// A description of a request for errors and events: it identifies the request, and contains no credentials.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
    /// The HTTP method; `nil` if the target could not be resolved.
    public let method: HTTPRequest.Method?

    /// The URL with secret-looking query items masked; `nil` if the target could not be resolved.
    public let url: String?

    /// The alias of the API operation, when the request names one.
    public let api: String?

    /// The alias of the server, when the request names one.
    public let server: ServerAlias?

    /// The path template as it was written, which is the same for all calls of an operation.
    public let template: String?

    /// The caller's own identifier, when the request has one.
    public let callIdentifier: String?

    /// True if ``CallConfigurable/muted()`` keeps the call out of logs.
    public internal(set) var isMuted = false

    /// Method and URL, or the alias.
    public var description: String {
        let target = url ?? template ?? "no target"
        let call = method.map { "\($0.rawValue) \(target)" } ?? target
        return MessageText.of(api.map { "\(call), API '\($0)'" } ?? call)
    }
}
