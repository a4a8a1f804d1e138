// SPDX-License-Identifier: MIT

public import HTTPTypes

/// What errors and events say about a request: enough to find it, without credentials.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
    /// The HTTP method; `nil` when the target could not be resolved.
    public let method: HTTPRequest.Method?

    /// The URL with secret-looking query items masked; `nil` when the target could not be resolved.
    public let url: String?

    /// The alias of the API operation, when the request names one.
    public let api: String?

    /// The alias of the server, when the request names one.
    public let server: ServerAlias?

    /// The path template as it was written, which is alike for all calls of an operation.
    public let template: String?

    /// The caller's own identifier, when the request has one.
    public let callIdentifier: String?

    /// Whether ``CallConfigurable/muted()`` asked to keep the call out of logs.
    public internal(set) var isMuted = false

    /// Method and URL, or the alias.
    public var description: String {
        let target = url ?? template ?? "no target"
        let call = method.map { "\($0.rawValue) \(target)" } ?? target
        return api.map { "\(call), API '\($0)'" } ?? call
    }
}

extension RequestSummary {
    /// What can be said of a request whose target is not resolved.
    init(of specification: RequestSpecification) {
        let target = specification.target
        var url: String?
        var server: ServerAlias?
        switch target.server {
        case .defaultServer: break
        case .key(let key): server = key
        case .address(let address): url = Redaction.url(address)
        case .url(let address): url = Redaction.url(address)
        }
        self.init(
            method: specification.method,
            url: url,
            api: target.api,
            server: server,
            template: target.endpoint.map { Redaction.url($0.source) },
            callIdentifier: specification.options[.callIdentifier],
            isMuted: specification.options[.isMuted] ?? false
        )
    }
}
