// SPDX-License-Identifier: MIT

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
