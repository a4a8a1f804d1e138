// SPDX-License-Identifier: MIT

/// Tells each attempt as a command of curl, just before it goes out.
///
/// ```swift
/// manager.options = manager.options.attemptInterceptors(CurlPrinter { print($0) })
/// ```
///
/// As an attempt interceptor it sees everything that other interceptors and header providers before it have set. Requests
/// that are ``CallConfigurable/muted()`` are not told. Answers from the cache are no attempts.
public struct CurlPrinter: Interceptor {
    private let showsSecrets: Bool
    private let print: @Sendable (CurlCommand) -> Void

    /// Creates a printer.
    ///
    /// - Parameters:
    ///   - showsSecrets: Whether to show credentials and whole bodies; `false` by default.
    ///   - print: What to do with a command.
    public init(showsSecrets: Bool = false, print: @escaping @Sendable (CurlCommand) -> Void) {
        self.showsSecrets = showsSecrets
        self.print = print
    }

    /// Tells the request, and lets it pass unchanged.
    public func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        if !request.call.isMuted {
            print(CurlCommand(request, showsSecrets: showsSecrets))
        }
        return try await next(request)
    }
}

extension RequestNode {
    /// Resolves the request as sending it would, and writes it as a command of curl; nothing is sent.
    ///
    /// Header providers are asked, interceptors are not; a token is the latest one, even if it is over.
    ///
    /// - Parameter showsSecrets: Whether to show credentials and the whole body; `false` by default.
    /// - Returns: The command.
    /// - Throws: ``RestClientError`` when the request cannot be resolved, or what a header provider throws.
    public func curlCommand(showsSecrets: Bool = false) async throws -> CurlCommand {
        let (runner, core) = (sender.runner, sender.core)
        var request = try runner.resolve(specification, id: .next(), groupID: nil, start: core.clock.now()).request
        request = try request.call.policy.authentication?.current(request) ?? request
        try await HeaderProvider.apply(request.call.policy.headerProviders, to: &request.headers)
        return CurlCommand(request, showsSecrets: showsSecrets)
    }
}
