// SPDX-License-Identifier: MIT

public import RestEssentials

/// The way in which a person logs in at an authorization server, for a program on that person's machine or another one.
///
/// ```swift
/// let login = OAuthLogin(
///     OAuthClient(id: "orders-cli"),
///     at: OAuthServer(issuer: "https://id.example.com"),
///     scope: "orders offline_access"
/// ) { request in
///     print("Log in at \(request.address)")
/// }
/// let session = TokenSource(login: login, on: manager)
/// manager.servers[.store] = Server("https://api.example.com/v1").bearer(session)
/// ```
public struct OAuthLogin: Sendable {
    /// The grant by which the program gets the token.
    public enum Way: Sendable, Hashable {
        /// A browser on the machine of the program, which leads back to a port of 127.0.0.1: the authorization code
        /// with PKCE (RFC 6749, section 4.1; RFC 7636; RFC 8252).
        ///
        /// The system chooses the port. It takes the one redirect of this login, and is closed after the timeout, five
        /// minutes by default. The redirect URI to register is `http://127.0.0.1/callback`, or with another path.
        case browser(path: String = "/callback", timeout: Duration = .seconds(300))

        /// A browser anywhere, in which the person enters a short code (RFC 8628), for programs without one: the server
        /// is asked for the token until the person has logged in, or the code has expired.
        case device
    }

    let client: OAuthClient
    let server: OAuthServer
    let way: Way
    let scope: String?
    let show: (@Sendable (LoginRequest) async throws -> Void)?

    /// Creates a way to log in.
    ///
    /// - Parameters:
    ///   - client: The program, as it is registered at the server; one that is given to people has no secret.
    ///   - server: The authorization server.
    ///   - way: The grant; by a browser on this machine by default.
    ///   - scope: The scopes to request, separated by spaces; the server's default if there are none.
    ///   - show: Shows a person where to log in, or opens the browser, and returns; it does not wait for the login.
    ///     Give the address to a program as an argument, and never to a shell: a server has written it.
    ///     Without it, as in a program without a person, calls fail with
    ///     ``RestClientError/Code-swift.struct/loginRequired`` until somebody has logged in at the address in
    ///     ``RestClientError/login``.
    public init(
        _ client: OAuthClient,
        at server: OAuthServer,
        by way: Way = .browser(),
        scope: String? = nil,
        show: (@Sendable (LoginRequest) async throws -> Void)? = nil
    ) {
        self.client = client
        self.server = server
        self.way = way
        self.scope = scope
        self.show = show
    }
}

/// A login that waits for a person.
///
/// Descriptions do not show the query of the address: who has it could log the program in as somebody else.
public struct LoginRequest: Error, Hashable {
    /// The address at which a person logs in.
    public let address: String

    /// The code to enter there; `nil` for a login by a browser on this machine.
    public let userCode: String?

    /// The address with the code in it, for a link or a QR code, if the server has one.
    public let completeAddress: String?

    /// The time until which the program waits.
    public let expiresAt: Date
}

extension LoginRequest: MirroredByDescription {
    /// The address without its query, and the code.
    public var description: String {
        let place = address.prefix { $0 != "?" }
        return MessageText.of("log in at \(place)" + (userCode.map { " and enter \($0)" } ?? ""))
    }
}

extension RestClientError {
    /// The login that is under way, if the call failed with ``Code-swift.struct/loginRequired`` because nobody has
    /// logged in yet.
    ///
    /// A call after the login has its token. The message of the error has the address without its query, and the code.
    public var login: LoginRequest? { underlying as? LoginRequest }

    static func loginRequired(_ request: LoginRequest) -> RestClientError {
        RestClientError(.loginRequired, "nobody has logged in yet: \(request)", underlying: request)
    }

    static func loginRequired(_ reason: String) -> RestClientError {
        RestClientError(.loginRequired, "\(reason); the next call begins another login")
    }
}
