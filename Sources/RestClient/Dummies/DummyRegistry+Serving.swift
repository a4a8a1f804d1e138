// SPDX-License-Identifier: MIT

package import HTTPTypes
package import RestEssentials

extension DummyRegistry {
    /// Answers a request that came to a server, which stands for all servers that dummies are registered for.
    ///
    /// The mode does not matter: there is no network to go on to.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - url: The absolute URL.
    ///   - headers: The header fields.
    ///   - body: The body; `nil` when there is none.
    ///   - manager: Where the aliases of API operations are looked up.
    ///   - pause: Waits for the dummy's delay.
    /// - Returns: The response, fault and pace included, which are for the server to play.
    /// - Throws: ``RestClientError/Code-swift.struct/dummyNotFound`` when no dummy answers, and what the dummy throws.
    package func answer(
        _ method: HTTPRequest.Method,
        url: String,
        headers: HTTPFields,
        body: Data?,
        of manager: RestClientManager?,
        pause: @Sendable (Duration) async throws -> Void
    ) async throws -> DummyResponse {
        let registries = manager?.core.registries.snapshot() ?? RegistrySnapshot()
        let context = DummyContext(registries: registries, prefix: "", isServer: true)
        let request = DummyRequest(method: method, url: url, headers: headers, body: body, api: nil)
        guard let claim = DummyPlan(serving: self).claim(request, context) else {
            let hint = DummySelection.nearMisses(request, among: candidates, context)
            throw RestClientError(
                .dummyNotFound,
                "no dummy of the server answers \(method.rawValue) \(Redaction.url(url)); \(hint)"
            )
        }
        return try await claim.response(pause: pause)
    }
}
