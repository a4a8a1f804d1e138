// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore
import RestEssentials
import Synchronization

/// The logins of a token source: it refreshes the token as long as the server allows it, and then asks a person.
///
/// A login outlives the call that began it, so that the next one goes on with it. The source has one refresh in
/// progress at a time, and so one login.
final class LoginSession: Sendable {
    private struct State {
        var endpoints: OAuthEndpoints?
        var pending: (any PendingLogin)?
        /// The refresh token that the server does not accept any more.
        var dead: String?
    }

    private let login: OAuthLogin
    private let sender: OAuthSender
    private let state = Mutex(State())

    init(_ login: OAuthLogin, _ sender: OAuthSender) {
        self.login = login
        self.sender = sender
    }

    /// Returns the session in a scope, whose dummies know nothing of other logins; itself outside of scopes.
    private func inside(_ isolation: CallIsolation?) -> LoginSession {
        isolation?.state(of: self) { LoginSession(login, sender) } ?? self
    }

    /// The ways in which the source gets its tokens.
    var renewal: TokenRenewal {
        TokenRenewal { [self] old in
            try await inside(.current).renewed(old)
        } revoke: { [self] token in
            try await inside(.current).revoke(token)
        }
    }

    private func renewed(_ old: AccessToken?) async throws -> RenewedToken {
        do {
            if let refreshToken = old?.refreshToken, refreshToken != state.withLock({ $0.dead }) {
                let grant = [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
                let reply = try await ask(try await endpoints().token, "token endpoint", grant)
                guard let error = reply.error else {
                    return RenewedToken(token: try reply.token(now: try sender.manager().now))
                }
                guard error == "invalid_grant" else {
                    throw RestClientError(.tokenRefreshFailed, "the server refused it: \(reply.reason(error))")
                }
                state.withLock { $0.dead = refreshToken }
            }
            return RenewedToken(token: try await logIn(), isOfLogin: true)
        } catch {
            if (error as? RestClientError)?.code != .loginRequired {
                state.withLock { $0.endpoints = nil }
            }
            throw error
        }
    }

    private func revoke(_ token: AccessToken?) async throws {
        state.withLock { $0.pending = nil }
        guard let token, let endpoint = try await endpoints().revocation else {
            return
        }
        let hint = token.refreshToken == nil ? "access_token" : "refresh_token"
        let grant = [("token", token.refreshToken ?? token.value), ("token_type_hint", hint)]
        let reply = try await ask(endpoint, "revocation endpoint", grant)
        if let error = reply.error {
            throw RestClientError(.rejected, "the server did not revoke the token: \(reply.reason(error))")
        }
    }

    // MARK: - The login

    private func logIn() async throws -> AccessToken {
        let pending = try await pending()
        try await login.show?(pending.request)
        do {
            guard let reply = try await pending.reply(waits: login.show != nil, exchange) else {
                throw RestClientError.loginRequired(pending.request)
            }
            let token = try reply.token(now: try sender.manager().now)
            state.withLock { $0.pending = nil }
            return token
        } catch let error as RestClientError where error.code == .loginRequired && error.login == nil {
            state.withLock { $0.pending = nil }
            throw error
        }
    }

    /// Returns the login that is under way, or begins one.
    private func pending() async throws -> any PendingLogin {
        let now = try sender.manager().now
        if let pending = state.withLock({ $0.pending }), pending.request.expiresAt > now {
            return pending
        }
        let endpoints = try await endpoints()
        let pending: any PendingLogin
        switch login.way {
        case .browser(let path, let timeout):
            pending = try await BrowserLogin(login, endpoints, path: path, timeout, now: now)
        case .device:
            let reply = try await ask(endpoints.device, "device authorization endpoint", [("scope", login.scope)])
            pending = try DeviceLogin(reply, now: now, sender)
        }
        state.withLock { $0.pending = pending }
        return pending
    }

    // MARK: - Requests

    /// Asks the token endpoint for a token.
    @Sendable private func exchange(_ grant: [(name: String, value: String?)]) async throws -> OAuthReply {
        try await ask(try await endpoints().token, "token endpoint", grant)
    }

    private func ask(
        _ endpoint: String?,
        _ name: String,
        _ grant: [(name: String, value: String?)]
    ) async throws -> OAuthReply {
        let url = try OAuthEndpoints.checked(endpoint, name).text
        let node = Self.node(at: url).accepting(OAuthReply.statuses)
        return try await sender.bind(login.client.request(node, grant)).send()
    }

    private static func node(at url: String) -> RequestNode<OAuthReply> {
        RequestNode(OAuthReply.self) { OAuthReply($0) }.url(url).header(.accept, "application/json")
    }

    private func endpoints() async throws -> OAuthEndpoints {
        if let known = login.server.endpoints ?? state.withLock({ $0.endpoints }) {
            return known
        }
        let issuer = login.server.issuer ?? ""
        for url in try OAuthEndpoints.metadata(of: issuer) {
            let node = Self.node(at: url).accepting(StatusSet(200..<500))
            let reply = try await sender.bind(OAuthClient.confined(node)).send()
            // A server without metadata at this place has another page there, or none.
            if reply.error == nil, case .object = reply.value {
                let endpoints = try OAuthEndpoints(reply.value, of: issuer)
                state.withLock { $0.endpoints = endpoints }
                return endpoints
            }
        }
        throw RestClientError(
            .tokenRefreshFailed,
            "the authorization server '\(Redaction.url(issuer))' has no metadata; name its endpoints instead"
        )
    }
}

/// A login that a person has been asked for.
private protocol PendingLogin: Sendable {
    var request: LoginRequest { get }

    /// Returns the response with the token; `nil` if nobody has logged in, and it does not wait for that.
    ///
    /// It throws ``RestClientError/Code-swift.struct/loginRequired`` if there will be no token.
    func reply(waits: Bool, _ exchange: Exchange) async throws -> OAuthReply?
}

private typealias Exchange = @Sendable (_ grant: [(name: String, value: String?)]) async throws -> OAuthReply

// MARK: - By a browser on this machine

private struct BrowserLogin: PendingLogin {
    let request: LoginRequest
    private let authorization: AuthorizationRequest
    private let listener: RedirectListener

    init(
        _ login: OAuthLogin,
        _ endpoints: OAuthEndpoints,
        path: String,
        _ timeout: Duration,
        now: Date
    ) async throws {
        guard path.hasPrefix("/"), PercentEncoding.encode(path, allowing: .unreservedAndReserved) == path,
            !path.utf8.contains(UInt8(ascii: "?")), !path.utf8.contains(UInt8(ascii: "#"))
        else {
            throw RestClientError(.invalidURL, "'\(path)' is not the path of a redirect, as '/callback' is")
        }
        var authorization = AuthorizationRequest(
            endpoint: try OAuthEndpoints.checked(endpoints.authorization, "authorization endpoint for PKCE")
                .textForSending,
            clientID: login.client.id,
            scope: login.scope,
            issuer: login.server.issuer,
            namesIssuer: endpoints.namesIssuer
        )
        let accepts = authorization
        let (listener, port) = try await RedirectListener.open(
            path: path,
            timeout: TimeAmount(timeout),
            on: DirectTransport.eventLoops
        ) { accepts.isAnswered(by: $0) }
        authorization.redirect = "http://127.0.0.1:\(port)\(path)"
        self.listener = listener
        self.authorization = authorization
        request = LoginRequest(
            address: authorization.address,
            userCode: nil,
            completeAddress: nil,
            expiresAt: now.addingTimeInterval(timeout / .seconds(1))
        )
    }

    func reply(waits: Bool, _ exchange: Exchange) async throws -> OAuthReply? {
        guard let query = try await query(waits: waits) else {
            return nil
        }
        let reply = try await exchange([
            ("grant_type", "authorization_code"), ("code", try authorization.code(in: query)),
            ("redirect_uri", authorization.redirect), ("code_verifier", authorization.verifier),
        ])
        if let error = reply.error {
            throw RestClientError.loginRequired("the server gave no token for the login: \(reply.reason(error))")
        }
        return reply
    }

    private func query(waits: Bool) async throws -> String? {
        do {
            return waits ? try await listener.query() : try listener.outcome?.get()
        } catch is RedirectListener.Fault {
            throw RestClientError.loginRequired("nobody logged in within the time for it")
        }
    }
}

// MARK: - By a code on any machine

private final class DeviceLogin: PendingLogin {
    private struct State {
        var pace: DevicePace
        /// The time before which the server must not be asked again.
        var next: Date
    }

    let request: LoginRequest
    private let deviceCode: String
    private let sender: OAuthSender
    private let state: Mutex<State>

    /// Reads the response of the device authorization endpoint (RFC 8628, section 3.2).
    init(_ reply: OAuthReply, now: Date, _ sender: OAuthSender) throws {
        if let error = reply.error {
            throw RestClientError.loginRequired("the server began no login: \(reply.reason(error))")
        }
        func text(_ name: String) -> String? { reply.value[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
        func number(_ name: String) -> Double? {
            (reply.value[name]?.doubleValue ?? text(name).flatMap(Double.init)).flatMap { $0.isFinite ? $0 : nil }
        }
        // The code is shown in a terminal.
        guard let deviceCode = text("device_code"), let userCode = text("user_code"),
            MessageText.of(userCode, limit: 64) == userCode
        else {
            throw RestClientError.loginRequired("the server began a login without a code that can be shown")
        }
        let address = text("verification_uri") ?? text("verification_url")
        let complete = text("verification_uri_complete")
        request = LoginRequest(
            address: try OAuthEndpoints.checked(address, "verification URI").textForSending,
            userCode: userCode,
            completeAddress: try complete.map { try OAuthEndpoints.checked($0, "verification URI").textForSending },
            expiresAt: now.addingTimeInterval(min(max(1, number("expires_in") ?? 600), 86_400))
        )
        let pace = DevicePace(seconds: min(max(1, number("interval") ?? 5), 60))
        self.deviceCode = deviceCode
        self.sender = sender
        state = Mutex(State(pace: pace, next: now.addingTimeInterval(pace.seconds)))
    }

    func reply(waits: Bool, _ exchange: Exchange) async throws -> OAuthReply? {
        while true {
            let (seconds, next) = state.withLock { ($0.pace.seconds, $0.next) }
            let manager = try sender.manager()
            guard waits || manager.now >= next else {
                return nil
            }
            if waits {
                try await manager.pause(.seconds(seconds))
            }
            guard manager.now < request.expiresAt else {
                throw RestClientError.loginRequired("nobody logged in before the code expired")
            }
            let reply = try await poll(waits: waits, exchange)
            let verdict = state.withLock { state in
                let verdict = reply.map { state.pace.verdict(on: $0.error) } ?? state.pace.backOff()
                state.next = manager.now.addingTimeInterval(state.pace.seconds)
                return verdict
            }
            if let reply, verdict == .granted {
                return reply
            }
            if let reply, verdict == .refused {
                throw RestClientError.loginRequired("the login failed: \(reply.reason(reply.error ?? ""))")
            }
        }
    }

    /// Asks for the token; `nil` if the server could not be reached, and is to be asked again.
    private func poll(waits: Bool, _ exchange: Exchange) async throws -> OAuthReply? {
        do {
            return try await exchange([
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", deviceCode),
            ])
        } catch let error as RestClientError
            where waits && [.network, .timeout, .serverUnavailable].contains(error.failureClass)
        {
            return nil
        }
    }
}

/// The pace at which a device asks for its token (RFC 8628, section 3.5).
struct DevicePace: Equatable {
    enum Verdict {
        case granted
        case pending
        case refused
    }

    var seconds: Double

    mutating func verdict(on error: String?) -> Verdict {
        switch error {
        case nil:
            return .granted
        case "authorization_pending":
            return .pending
        case "slow_down":
            seconds += 5
            return .pending
        default:
            return .refused
        }
    }

    /// Slows down because the server could not be reached.
    mutating func backOff() -> Verdict {
        seconds = max(seconds, min(seconds * 2, 60))
        return .pending
    }
}
