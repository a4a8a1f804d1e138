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
        option(.authentication, authentication)
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

extension CallConfigurable {
    /// Adds a handler that is called if a server rejects the credentials of a call, or no token can be obtained for it.
    ///
    /// Use it to show the sign-in for all calls in one place. It is called after a refresh of the token did not help,
    /// before the call throws, and before handlers of inner levels.
    ///
    /// - Parameter handler: Called once per call, on no actor, with the original error before mappers changed it.
    /// - Returns: A changed copy.
    public consuming func onRefusedCredentials(_ handler: @escaping @Sendable (RestClientError) -> Void) -> Self {
        var handlers = options[.refusalHandlers] ?? RefusalHandlers()
        handlers.handlers.append(handler)
        options[.refusalHandlers] = handlers
        return self
    }
}

/// The handlers for rejected credentials, the outermost level's first.
struct RefusalHandlers: Sendable {
    var handlers: [@Sendable (RestClientError) -> Void] = []

    func call(with error: RestClientError) {
        for handler in handlers {
            handler(error)
        }
    }
}

extension CallOptionKey<RefusalHandlers> {
    static var refusalHandlers: Self {
        Self(
            "handlers of refused credentials",
            join: { RefusalHandlers(handlers: $0.handlers + $1.handlers) },
            describe: { "\($0.handlers.count)" }
        )
    }
}
