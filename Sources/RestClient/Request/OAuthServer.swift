// SPDX-License-Identifier: MIT

import RestEssentials

/// An authorization server at which people log in (RFC 6749, section 1.1).
public struct OAuthServer: Sendable, Hashable {
    let issuer: String?
    /// `nil` if the server says where they are.
    let endpoints: OAuthEndpoints?

    /// Creates a server that says where its endpoints are (RFC 8414, or OpenID Connect Discovery).
    ///
    /// Its metadata are loaded before they are first needed, and again after a failure. They must name this issuer, and
    /// endpoints with `https`.
    ///
    /// - Parameter issuer: The identifier of the server, exactly as it writes it: a URL with `https`, or of loopback.
    public init(issuer: String) {
        self.issuer = issuer
        endpoints = nil
    }

    /// Creates a server by its endpoints, which are URLs with `https`, or of loopback.
    ///
    /// - Parameters:
    ///   - issuer: The identifier of the server, with which the one of a response is compared (RFC 9207), if known.
    ///   - authorization: The endpoint for browsers; needed for logins by ``OAuthLogin/Way/browser(path:timeout:)``.
    ///   - token: The endpoint for tokens.
    ///   - device: The endpoint for device codes; needed for logins by ``OAuthLogin/Way/device``.
    ///   - revocation: The endpoint for ``TokenSource/logOut()``.
    public init(
        issuer: String? = nil,
        authorization: String? = nil,
        token: String,
        device: String? = nil,
        revocation: String? = nil
    ) {
        self.issuer = issuer
        endpoints = OAuthEndpoints(
            authorization: authorization,
            token: token,
            device: device,
            revocation: revocation
        )
    }
}

struct OAuthEndpoints: Sendable, Hashable {
    var authorization: String?
    var token: String?
    var device: String?
    var revocation: String?

    /// True if the server names itself in each response to a browser (RFC 9207), so that one without a name is not its.
    var namesIssuer = false

    /// Returns the URL of an endpoint if secrets may be sent there.
    static func checked(_ url: String?, _ name: String, allowsLoopback: Bool = true) throws(RestClientError) -> HTTPURL
    {
        guard let url else {
            throw RestClientError(.missingTarget, "the authorization server has no \(name)")
        }
        let shown = MessageText.of(Redaction.url(url), limit: MessageText.partLimit)
        let parsed: HTTPURL
        do throws(HTTPURL.Defect) {
            parsed = try HTTPURL(whole: url)
        } catch {
            throw RestClientError(.invalidURL, "the \(name) '\(shown)' is not a valid URL: \(error.reason)")
        }
        guard parsed.scheme == "https" || (allowsLoopback && HTTPURL.isLoopback(parsed.host)), parsed.fragment == nil
        else {
            throw RestClientError(
                .invalidURL,
                "the \(name) '\(shown)' gets secrets: it must begin with https:// and have no fragment"
            )
        }
        return parsed
    }
}

// MARK: - Discovery

extension OAuthEndpoints {
    /// Returns the URLs at which the metadata of an issuer may be: those of RFC 8414, section 3, and of OpenID.
    static func metadata(of issuer: String) throws(RestClientError) -> [String] {
        let url = try checked(issuer, "issuer")
        guard url.query == nil else {
            throw RestClientError(.invalidURL, "the issuer '\(Redaction.url(issuer))' must have no query")
        }
        let origin = "\(url.scheme)://\(url.authority)"
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        return [
            "\(origin)/.well-known/oauth-authorization-server\(path)",
            "\(origin)\(path)/.well-known/openid-configuration",
        ]
    }

    /// Reads the metadata of an issuer (RFC 8414, section 2).
    init(_ metadata: JSONValue, of issuer: String) throws(RestClientError) {
        let named = metadata["issuer"]?.stringValue ?? ""
        guard AuthorizationRequest.isSame(named, issuer) else {
            let shown = MessageText.of(Redaction.text(Redaction.url(named)), limit: MessageText.partLimit)
            throw RestClientError(
                .tokenRefreshFailed,
                "the metadata of the authorization server '\(Redaction.url(issuer))' name the issuer '\(shown)'; "
                    + "the issuer must be written exactly as the server does"
            )
        }
        let allowsLoopback = !issuer.lowercased().hasPrefix("https:")
        func endpoint(_ name: String) throws(RestClientError) -> String? {
            guard let url = metadata[name]?.stringValue else {
                return nil
            }
            return try Self.checked(url, name, allowsLoopback: allowsLoopback).text
        }
        authorization = try endpoint("authorization_endpoint")
        token = try endpoint("token_endpoint")
        device = try endpoint("device_authorization_endpoint")
        revocation = try endpoint("revocation_endpoint")
        namesIssuer = metadata["authorization_response_iss_parameter_supported"] == true
        if case .array(let methods)? = metadata["code_challenge_methods_supported"], !methods.contains("S256") {
            // A code that is not bound to this program is of no use to it.
            authorization = nil
        }
    }
}

// MARK: - Responses

/// A response of an authorization server: JSON, or an error (RFC 6749, section 5.2).
struct OAuthReply: Sendable {
    /// Those of errors by the RFC among them, which are read before they end the call.
    static let statuses = StatusSet(200..<404)

    let value: JSONValue
    private let body: Data
    /// The code of the error; `nil` for a success.
    let error: String?

    init(_ response: RawResponse) {
        body = response.body
        value = (try? JSONText.value(of: body)) ?? .null
        let isSuccess = (200..<300).contains(response.status.code)
        error = value["error"]?.stringValue ?? (isSuccess ? nil : "status \(response.status.code)")
    }

    func token(now: Date) throws -> AccessToken {
        try JSONDecoder().decode(TokenResponse.self, from: body).token(now: now)
    }

    /// Returns the text of an error for messages: the code, and what the server says to it.
    func reason(_ error: String) -> String {
        [error, value["error_description"]?.stringValue].compactMap(\.self)
            .map { MessageText.of(Redaction.text($0), limit: MessageText.partLimit) }
            .joined(separator: ": ")
    }
}
