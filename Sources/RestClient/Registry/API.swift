// SPDX-License-Identifier: MIT

public import HTTPTypes

/// An API operation: how to reach it and what every call of it has in common.
///
/// Options of its calls are set with the verbs of ``CallConfigurable``:
///
/// ```swift
/// manager.apis[.orders] = API(.get, "/users/{user}/orders", server: .store, defaults: ["user": "me"]).cache(.http)
/// ```
public struct API: CallConfigurable, Sendable {
    /// The HTTP method (RFC 9110, section 9).
    public var method: HTTPRequest.Method

    /// The path below the server's address, with placeholders.
    public var path: PathTemplate

    /// The server's alias; `nil`, the default, stands for ``RestClientManager/defaultServer``.
    public var server: ServerAlias?

    /// The values of placeholders that a call does not fill in.
    public var defaults: [String: JSONValue]

    /// The options of every call; they win over the server's and yield to the call's own.
    public var options = CallOptions()

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server's alias; the manager's default server when `nil`.
    ///   - defaults: The values of placeholders that a call does not fill in. An empty string removes the segment.
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

extension API: CustomStringConvertible, CustomReflectable {
    /// Method and path, as in `GET /users/{user}`.
    public var description: String { "\(method.rawValue) \(Redaction.url(path.source))" }

    /// The description and the options, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self, ["options": options.description]) }
}
