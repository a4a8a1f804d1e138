// SPDX-License-Identifier: MIT

public import HTTPTypes

/// How calls prove who makes them: a header field, and the source of the tokens that it carries.
///
/// ```swift
/// manager.servers[.store] = Server("https://api.example.com/v1").authentication(.bearer(session))
/// manager.apis[.login] = API(.post, "/login").authentication(.anonymous)
/// ```
///
/// What the call says (``CallConfigurable/authentication(_:)``) wins over what its API says, that over its server's, and that over
/// ``RestClientManager/options``. A header field of that name which is set nearer to the call wins too: a call
/// with ``CallConfigurable/bearer(_:)-(String)`` sends just that.
///
/// The token is asked for before each attempt, without holding a worker slot. When the server refuses it, it is refreshed, and
/// the request is sent once more, with all header providers asked anew; what comes then is final.
public struct Authentication: Sendable {
    /// The field and the source, kept by reference: a pointer that travels with each call.
    let scheme: AuthenticationScheme?

    /// None: the call sends no token, whatever is said elsewhere.
    public static let anonymous = Authentication(scheme: nil)

    /// Tokens in the `Authorization` field (RFC 6750).
    ///
    /// - Parameter source: Where the tokens come from.
    /// - Returns: The way of authentication.
    public static func bearer(_ source: TokenSource) -> Authentication {
        header(.authorization, prefix: "Bearer ", source)
    }

    /// Tokens in another header field.
    ///
    /// The field is left out when a redirect leads to another origin, as `Authorization` is.
    ///
    /// - Parameters:
    ///   - name: The field's name. Descriptions of requests and commands of curl mask its value; so do recordings, unless their
    ///     rules allow the field.
    ///   - prefix: What stands before the token; nothing by default.
    ///   - source: Where the tokens come from.
    /// - Returns: The way of authentication.
    public static func header(_ name: HTTPField.Name, prefix: String = "", _ source: TokenSource) -> Authentication {
        Authentication(scheme: AuthenticationScheme(field: name, prefix: prefix, source: source))
    }
}

extension Authentication: CustomStringConvertible {
    /// The field that carries the token.
    public var description: String { scheme?.field.rawName ?? "anonymous" }
}
