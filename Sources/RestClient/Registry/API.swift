// SPDX-License-Identifier: MIT

public import HTTPTypes

/// An API operation: how to reach it and what every call of it has in common.
///
/// ```swift
/// manager.apis[.orders] = API(.get, "/users/{user}/orders", server: .store, defaults: ["user": "me"])
/// ```
public struct API: Sendable {
    /// The HTTP method (RFC 9110, section 9).
    public var method: HTTPRequest.Method

    /// The path below the server's address, with placeholders.
    public var path: PathTemplate

    /// The server's alias; `nil`, the default, stands for ``RestClientManager/defaultServer``.
    public var server: ServerAlias?

    /// The values of placeholders that a call does not fill in.
    public var defaults: [String: JSONValue]

    /// The dogma's name; `nil`, the default, stands for ``RestClientManager/defaultDogma``.
    public var dogma: DogmaAlias?

    /// The header fields of every call; they override the server's and yield to the call's own.
    public var headers: HTTPFields

    /// The cache policy of every call that does not choose its own; `nil`, the default, stands for the manager's.
    public var cachePolicy: CachePolicy?

    /// The stored answers that a successful call of the operation makes untrue; none by default.
    ///
    /// They are marked as stale, so that whoever asks for them next asks the server whether they still hold.
    public var invalidates: [CacheSelection]

    /// How every call proves who makes it, unless the call says so itself; `nil`, the default, stands for the server's way.
    public var authentication: Authentication?

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server's alias; the manager's default server when `nil`.
    ///   - defaults: The values of placeholders that a call does not fill in. An empty string removes the segment.
    ///   - dogma: The dogma's name; the manager's default dogma when `nil`.
    ///   - headers: The header fields of every call.
    ///   - cachePolicy: The cache policy of calls that do not choose their own.
    ///   - invalidates: The stored answers that a successful call makes untrue, as in `[.api(.orders)]`.
    ///   - authentication: How calls prove who makes them; the server's way when `nil`, without a token when `.anonymous`.
    public init(
        _ method: HTTPRequest.Method,
        _ path: PathTemplate,
        server: ServerAlias? = nil,
        defaults: [String: JSONValue] = [:],
        dogma: DogmaAlias? = nil,
        headers: HTTPFields = [:],
        cachePolicy: CachePolicy? = nil,
        invalidates: [CacheSelection] = [],
        authentication: Authentication? = nil
    ) {
        self.method = method
        self.path = path
        self.server = server
        self.defaults = defaults
        self.dogma = dogma
        self.headers = headers
        self.cachePolicy = cachePolicy
        self.invalidates = invalidates
        self.authentication = authentication
    }
}
