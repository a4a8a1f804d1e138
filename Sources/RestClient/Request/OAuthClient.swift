// SPDX-License-Identifier: MIT

import RestEssentials

/// A client that is registered at an authorization server (RFC 6749, section 2).
///
/// Descriptions do not show its secret.
public struct OAuthClient: Sendable, Hashable {
    /// The place of the client's identifier and secret in a token request.
    public enum SecretPlace: Sendable, Hashable {
        /// In the field `Authorization`, as RFC 6749 recommends.
        case header
        /// In the form, for servers that ignore the header field.
        case form
    }

    let id: String
    let secret: String?
    let place: SecretPlace

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - secret: The secret; `nil` for public clients, which have none.
    ///   - place: The place of both in a token request; in the header by default.
    public init(id: String, secret: String? = nil, place: SecretPlace = .header) {
        self.id = id
        self.secret = secret
        self.place = place
    }
}

extension OAuthClient: CustomStringConvertible, CustomReflectable {
    /// The identifier.
    public var description: String { "OAuthClient(\(MessageText.of(id)))" }

    /// The identifier, without the secret.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

// MARK: - Requests for tokens

extension OAuthClient {
    /// Returns a token request, or another one of its kind; the grant lacks the fields of the client.
    func request<Model>(
        _ endpoint: RequestNode<Model>,
        _ grant: [(name: String, value: String?)]
    ) -> RequestNode<Model> {
        var fields = grant
        var node = Self.confined(endpoint.post())
        switch (secret, place) {
        case (let secret?, .header):
            // Both are first encoded like the values of a form (section 2.3.1).
            node = node.basic(user: Self.formValue(id), password: Self.formValue(secret))
        case (let secret?, .form):
            fields += [("client_id", id), ("client_secret", secret)]
        case (nil, _):
            fields += [("client_id", id)]
        }
        let form = fields.compactMap { field in field.value.map { (name: field.name, value: JSONValue.string($0)) } }
        return node.body(
            Data(QueryEncoding().encode(form).utf8),
            contentType: "application/x-www-form-urlencoded"
        )
    }

    /// Returns a request that follows no redirect to another server and carries no token.
    static func confined<Model>(_ endpoint: RequestNode<Model>) -> RequestNode<Model> {
        var node = endpoint.dogma(.json).cache(.networkOnly)
        // Redirects drop credentials in fields. In the form they would go along with a 307 or 308.
        node.options[.redirectsWithinServer] = true
        return node.options[.authentication] == nil ? node.authentication(.anonymous) : node
    }

    private static func formValue(_ text: String) -> String {
        String(QueryEncoding().encode([(name: "", value: .string(text))]).dropFirst())
    }
}
