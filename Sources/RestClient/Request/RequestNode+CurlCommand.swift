// SPDX-License-Identifier: MIT

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
