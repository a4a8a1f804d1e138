// SPDX-License-Identifier: MIT

public import HTTPTypes

/// The authentication of calls: a header field, and the source of its tokens.
///
/// ```swift
/// manager.servers[.store] = Server("https://api.example.com/v1").authentication(.bearer(session))
/// manager.apis[.login] = API(.post, "/login").authentication(.anonymous)
/// ```
///
/// The call (``CallConfigurable/authentication(_:)``) takes precedence over its API, the API over its server, and the
/// server over ``RestClientManager/options``. A header field of that name that is set at an inner level takes
/// precedence too: a call with ``CallConfigurable/bearer(_:)-(String)`` sends exactly that token.
///
/// The token is obtained before each attempt, without holding a worker slot. If the server rejects it, it is refreshed,
/// and the request is sent once more, with fresh values of all header providers; the second response is final. A POST
/// that was redirected to a GET is not sent again when the response to the GET rejects the token.
public struct Authentication: Sendable {
    /// The field and the source, stored by reference, so that each call carries only a pointer.
    let scheme: AuthenticationScheme?

    /// No authentication: the call sends no token, regardless of other levels.
    public static let anonymous = Authentication(scheme: nil)

    /// Tokens in the `Authorization` field (RFC 6750).
    ///
    /// - Parameter source: The source of the tokens.
    /// - Returns: The authentication.
    public static func bearer(_ source: TokenSource) -> Authentication {
        header(.authorization, prefix: "Bearer ", source)
    }

    /// Tokens in another header field.
    ///
    /// Like `Authorization`, the field is dropped when a redirect leads to another server.
    ///
    /// - Parameters:
    ///   - name: The field's name. Descriptions of requests and curl commands mask its value; so do recordings, unless
    ///     their rules allow the field.
    ///   - prefix: The text before the token; empty by default.
    ///   - source: The source of the tokens.
    /// - Returns: The authentication.
    public static func header(_ name: HTTPField.Name, prefix: String = "", _ source: TokenSource) -> Authentication {
        Authentication(scheme: AuthenticationScheme(field: name, prefix: prefix, source: source))
    }
}

extension Authentication: CustomStringConvertible {
    /// The field that carries the token.
    public var description: String { scheme?.field.rawName ?? "anonymous" }
}
