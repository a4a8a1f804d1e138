// SPDX-License-Identifier: MIT

import JobGraphs

/// An interceptor that prints each attempt as a curl command, just before it is sent.
///
/// ```swift
/// manager.options = manager.options.interceptors(CurlPrinter { print($0) }, perAttempt: true)
/// ```
///
/// As an attempt interceptor it sees everything that previous interceptors and header providers have set. It does not
/// print requests that are ``CallConfigurable/muted()``, nor calls that the cache serves, because they make no attempt.
public struct CurlPrinter: Interceptor {
    private let showsSecrets: Bool
    private let print: @Sendable (CurlCommand) -> Void

    /// Creates a printer.
    ///
    /// - Parameters:
    ///   - showsSecrets: Pass `true` to show credentials and whole bodies. Defaults to `false`.
    ///   - print: Receives the commands.
    public init(showsSecrets: Bool = false, print: @escaping @Sendable (CurlCommand) -> Void) {
        self.showsSecrets = showsSecrets
        self.print = print
    }

    /// Prints the request, and passes it on unchanged.
    public func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        if !request.call.isMuted {
            print(CurlCommand(request, showsSecrets: showsSecrets))
        }
        return try await next(request)
    }
}

extension RequestNode {
    /// Resolves the request as if it were sent, and returns it as a curl command.
    ///
    /// Nothing is sent.
    ///
    /// Header providers run, interceptors do not. The token is the latest one, even if it has expired.
    ///
    /// - Parameter showsSecrets: Pass `true` to show credentials and the whole body. Defaults to `false`.
    /// - Returns: The command.
    /// - Throws: ``RestClientError`` if the request cannot be resolved, and errors of header providers.
    public func curlCommand(showsSecrets: Bool = false) async throws -> CurlCommand {
        var request = try sender.resolve(specification)
        request = try request.call.policy.authentication?.current(request) ?? request
        try await HeaderProvider.apply(request.call.policy.headerProviders, to: &request.headers)
        return CurlCommand(request, showsSecrets: showsSecrets)
    }
}
