// SPDX-License-Identifier: MIT

extension TokenSource {
    /// Creates a source of the client's own tokens (RFC 6749, section 4.4), for services that call other services.
    ///
    /// ```swift
    /// let tokens = TokenSource(
    ///     clientCredentials: OAuthClient(id: "nightly-export", secret: secret),
    ///     at: manager.request(TokenResponse.self).url("https://id.example.com/token")
    /// )
    /// manager.servers[.store] = Server("https://api.example.com/v1").bearer(tokens)
    /// ```
    ///
    /// The first call obtains a token; it is replaced shortly before it expires, and when a server rejects it. The
    /// source does not retain the manager of the endpoint. A redirect of the token request to another server is
    /// refused.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - scope: The scopes to request, separated by spaces; the server's default if there are none.
    ///   - endpoint: The token endpoint, by its URL or its API.
    public convenience init(
        clientCredentials client: OAuthClient,
        scope: String? = nil,
        at endpoint: RequestNode<TokenResponse>
    ) {
        let endpoint = TokenEndpoint(endpoint)
        self.init { _ in
            try await endpoint.token(client, [("grant_type", "client_credentials"), ("scope", scope)])
        }
    }

    /// Creates a source of a user's tokens, which are replaced with their refresh token (RFC 6749, section 6).
    ///
    /// Set ``current`` after the login. Servers that issue a new refresh token with each token are supported. A
    /// redirect of the token request to another server is refused, because the refresh token would go along.
    ///
    /// - Parameters:
    ///   - token: The first token, with its refresh token; `nil` before the login.
    ///   - client: The client to which the tokens were issued.
    ///   - endpoint: The token endpoint, by its URL or its API. The source does not retain its manager.
    public convenience init(
        _ token: AccessToken? = nil,
        refreshTokensOf client: OAuthClient,
        at endpoint: RequestNode<TokenResponse>
    ) {
        let endpoint = TokenEndpoint(endpoint)
        self.init(token) { token in
            guard let refreshToken = token?.refreshToken else {
                throw RestClientError(
                    .tokenRefreshFailed,
                    "there is no refresh token; set the token source's 'current' to a token that has one, after the login"
                )
            }
            return try await endpoint.token(
                client,
                [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
            )
        }
    }
}

/// The endpoint from which a source requests tokens.
private struct TokenEndpoint: Sendable {
    private let node: RequestNode<TokenResponse>
    private let sender: OAuthSender

    init(_ node: RequestNode<TokenResponse>) {
        sender = OAuthSender(node.owner)
        var node = node
        node.owner = nil
        self.node = node
    }

    func token(_ client: OAuthClient, _ grant: [(name: String, value: String?)]) async throws -> AccessToken {
        try await sender.bind(client.request(node, grant)).send().token()
    }
}

/// The manager that sends the requests of a source.
///
/// It is not retained, because the manager retains the source.
struct OAuthSender: Sendable {
    private let hasOwner: Bool
    private weak let owner: (any RequestSender)?

    init(_ owner: (any RequestSender)?) {
        hasOwner = owner != nil
        self.owner = owner
    }

    func manager() throws(RestClientError) -> any RequestSender {
        guard let owner else {
            throw RestClientError(.tokenRefreshFailed, "the manager of the token endpoint no longer exists")
        }
        return owner
    }

    func bind<Model>(_ node: RequestNode<Model>) throws(RestClientError) -> RequestNode<Model> {
        var node = node
        node.owner = hasOwner ? try manager() : nil
        return node
    }
}
