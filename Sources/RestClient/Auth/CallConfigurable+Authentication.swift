// SPDX-License-Identifier: MIT

import RestEssentials

extension CallConfigurable {
    /// Sets the authentication of calls.
    ///
    /// A value of the manager or the environment applies to registered servers only, so that its token is not sent to
    /// an arbitrary address or URL.
    ///
    /// - Parameter authentication: The authentication; `.anonymous` for no token.
    /// - Returns: A changed copy.
    public consuming func authentication(_ authentication: Authentication) -> Self {
        options[.authentication] = authentication
        return self
    }

    /// Sends tokens of a source in the `Authorization` field (RFC 6750), refreshed when they have expired or were
    /// rejected.
    ///
    /// - Parameter source: The source of the tokens.
    /// - Returns: A changed copy.
    public consuming func bearer(_ source: TokenSource) -> Self {
        authentication(.bearer(source))
    }

    /// Sets the bearer token of the `Authorization` field (RFC 6750).
    ///
    /// - Parameter token: The token; it never appears in descriptions, events or errors.
    /// - Returns: A changed copy.
    public consuming func bearer(_ token: String) -> Self {
        header(.authorization, "Bearer \(token)")
    }

    /// Sets user name and password of the `Authorization` field (RFC 7617).
    ///
    /// - Parameters:
    ///   - user: The user name; if it contains a colon, the call fails with
    ///     ``RestClientError/Code-swift.struct/invalidHeader``.
    ///   - password: The password; it never appears in descriptions, events or errors.
    /// - Returns: A changed copy.
    public consuming func basic(user: String, password: String) -> Self {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            options.note(
                RestClientError(
                    .invalidHeader,
                    "the user name of basic authentication contains a colon, after which servers expect the password"
                )
            )
            return self
        }
        return header(.authorization, "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
    }
}

extension CallOptionKey<Authentication> {
    static var authentication: Self { Self("authentication") { $0.description } }
}
