// SPDX-License-Identifier: MIT

import Crypto
import RestEssentials

/// The request that a browser takes to an authorization server, and what its response must be (RFC 6749, section 4.1,
/// with PKCE, RFC 7636).
struct AuthorizationRequest: Sendable {
    let endpoint: String
    let clientID: String
    let scope: String?
    /// The server's name, with which that of a response is compared (RFC 9207), if known.
    let issuer: String?
    /// True if a response without a name is not the server's.
    let namesIssuer: Bool
    var redirect = ""

    /// The text by which the response is told from others.
    var state = Self.secret()

    /// The secret of this program, without which nobody gets a token for the code.
    var verifier = Self.secret()

    /// The address for the browser.
    var address: String {
        let items: [(name: String, value: String?)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirect), ("scope", scope),
            ("state", state), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        let query = QueryEncoding()
            .encode(items.compactMap { item in item.value.map { (name: item.name, value: JSONValue.string($0)) } })
        return endpoint + (endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    private var challenge: String { Self.base64URL(SHA256.hash(data: Data(verifier.utf8))) }

    /// Returns true if a query is that of the response to this request, by its state.
    func isAnswered(by query: String) -> Bool {
        let states = Self.values(of: "state", in: query)
        return states.count == 1 && states.allSatisfy { Self.isSame($0, state) }
    }

    /// Returns the code of a response.
    func code(in query: String) throws(RestClientError) -> String {
        guard isAnswered(by: query) else {
            throw .loginRequired("the login ended with the response to another one")
        }
        let issuers = Self.values(of: "iss", in: query)
        // The code of another server must not be sent to this one, nor the other way round.
        guard issuers.count <= 1, !(namesIssuer && issuers.isEmpty),
            issuer.map({ known in issuers.allSatisfy { Self.isSame($0, known) } }) ?? true
        else {
            throw .loginRequired("the response to the login does not name the authorization server that was asked")
        }
        if let error = Self.values(of: "error", in: query).first {
            let shown = MessageText.of(Redaction.text(error), limit: MessageText.partLimit)
            throw .loginRequired("the authorization server refused the login: \(shown)")
        }
        let codes = Self.values(of: "code", in: query)
        guard let code = codes.first, codes.count == 1, !code.isEmpty else {
            throw .loginRequired("the response to the login has no code, or several")
        }
        return code
    }

    private static func values(of name: String, in query: String) -> [String] {
        QueryItems.decode(query, plusIsSpace: true).filter { $0.name == name }.map(\.value)
    }

    /// Returns 256 random bits, in the characters of RFC 7636, section 4.1.
    private static func secret() -> String {
        var generator = SecureGenerator()
        return base64URL((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns true if two texts have the same bytes, in a time that does not depend on them.
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
