// SPDX-License-Identifier: MIT

public import HTTPTypes
import RestEssentials

/// An API operation: its target, and the options that all of its calls share.
///
/// Set the options of its calls with the methods of ``CallConfigurable``:
///
/// ```swift
/// manager.apis[.orders] = API(.get, "/users/{user}/orders", server: .store, defaults: ["user": "me"]).cache(.http)
/// ```
public struct API: CallConfigurable, Sendable {
    /// The HTTP method (RFC 9110, section 9).
    public var method: HTTPRequest.Method

    /// The path below the server's address, with placeholders.
    public var path: PathTemplate

    /// The server's alias; `nil`, the default, means ``RestClientManager/defaultServer``.
    public var server: ServerAlias?

    /// The default values of placeholders.
    public var defaults: [String: JSONValue]

    /// The options of every call; they override the server's, and the call's own override them.
    public var options = CallOptions()

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server's alias; `nil` means the manager's default server.
    ///   - defaults: The default values of placeholders. An empty string removes the segment.
    public init(
        _ method: HTTPRequest.Method,
        _ path: PathTemplate,
        server: ServerAlias? = nil,
        defaults: [String: any JSONValueConvertible] = [:]
    ) {
        self.method = method
        self.path = path
        self.server = server
        self.defaults = defaults.mapValues(\.jsonValue)
    }
}

extension API: MirroredWithOptions {
    /// The method and the path, as in `GET /users/{user}`.
    public var description: String { MessageText.of("\(method.rawValue) \(Redaction.url(path.source))") }
}
