// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct SignedOut: Error {}
struct Login: Encodable {
    let user: String
    let password: String
}
struct Order: Decodable { let id: Int }
// snippet.show
extension ServerAlias { static let store: ServerAlias = "store" }
extension APIAlias where Model == TokenResponse {
    static var login: Self { "login" }
    static var refresh: Self { "refresh" }
}
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }
// snippet.hide
extension APIAlias where Model == Data { static var export: Self { "export" } }
// snippet.show

let manager = RestClientManager()
let session = TokenSource { [weak manager] token in
    guard let manager, let old = token?.refreshToken else { throw SignedOut() }
    return try await manager.request(.refresh).values(["refresh_token": old]).send().token()
}
manager.servers[.store] = Server("https://api.example.com/v1").authentication(.bearer(session))
manager.defaultServer = .store
manager.apis[.login] = API(.post, "/login").authentication(.anonymous)
manager.apis[.refresh] = API(.post, "/token")
manager.apis[.orders] = API(.get, "/orders")

func signIn(_ login: Login) async throws {
    session.current = try await manager.request(.login).body(login).send().token()
}

func orders() async throws -> [Order] {
    try await manager.request(.orders).send()  // refreshes the token if necessary; sent again after a rejection
}
// snippet.hide

// What the documentation shows also runs, against dummies.
manager.dummies.mode = .strict
manager.dummies.register {
    Dummy(.post, "/login").responds(.text(#"{"access_token": "a", "expires_in": 0, "refresh_token": "r"}"#))
    Dummy(.post, "/token").responds(.text(#"{"access_token": "b", "expires_in": 3600, "refresh_token": "s"}"#))
    Dummy(.get, "/orders").matching("is fresh") { $0.headers[.authorization] == "Bearer b" }
        .responds(.text(#"[{"id": 7}]"#))
}
func sources(secret: String) {
    // snippet.show
    // A service's own tokens, and a user's tokens with refresh tokens.
    let id = manager.request(TokenResponse.self).url("https://id.example.com/token")
    let service = TokenSource(
        clientCredentials: OAuthClient(id: "nightly-export", secret: secret),
        scope: "read",
        at: id
    )
    let user = TokenSource(refreshTokensOf: OAuthClient(id: "app"), at: id)
    // snippet.hide
    print(service.current as Any, user.current as Any)
}

func people(open: @escaping @Sendable (String) async throws -> Void) async throws {
    // snippet.show
    // A person logs in: in a browser on this machine, or anywhere by a code.
    let server = OAuthServer(issuer: "https://id.example.com")
    let login = OAuthLogin(OAuthClient(id: "orders-cli"), at: server, scope: "orders offline_access") { request in
        try await open(request.address)
    }
    let television = OAuthLogin(OAuthClient(id: "orders-tv"), at: server, by: .device) { request in
        print("Enter \(request.userCode ?? "") at \(request.address)")
    }
    let person = TokenSource(login: login, on: manager)
    _ = try await person.token()  // logs in, unless there is a token already
    try await person.logOut()  // removes the token, and revokes it at the server
    // snippet.hide
    print(television)
}

func withoutPerson() async throws {
    let server = OAuthServer(issuer: "https://id.example.com")
    // snippet.show
    // A program without a person says where to log in; a later call has the token.
    let job = OAuthLogin(OAuthClient(id: "nightly-export"), at: server, by: .device)
    manager.servers[.store] = Server("https://api.example.com/v1").bearer(TokenSource(login: job, on: manager))
    do {
        print(try await orders())
    } catch let error as RestClientError where error.code == .loginRequired {
        print(error.login?.address ?? "", error.login?.userCode ?? "", error.message)
    }
    // snippet.hide
}

func keys(weatherKey: String, mapsKey: String, keychain: some Keychain) throws {
    // snippet.show
    // The session of the last run, kept from now on.
    try session.keep(in: manager.sharedData, as: "store session", sealedWith: SealingKey { try keychain.bytes() })
    // snippet.hide
    // snippet.show
    manager.servers["weather"] = Server("https://weather.example.com/2.5").apiKey(.query("appid", weatherKey))
    manager.servers["maps"] = Server("https://maps.example.com").apiKey(.header(.authorization, "Key \(mapsKey)"))
    // snippet.hide
}

func fields(mapsKey: String) {
    // snippet.show
    // A field that is a credential, although its name does not look like one.
    if let ticket = HTTPField.Name("X-Ticket") {
        manager.servers["maps"] = Server("https://maps.example.com").header(ticket, mapsKey).credentialFields(ticket)
    }
    // A call that keeps the field on the way to other origins, and also follows from https to http, without it there.
    let export = manager.request(.export)
        .fieldsForAnyOrigin(.authorization)
        .redirects(.follow(limit: 3).allowingPlainHTTP())
    // snippet.hide
    print(export)
}

func cookiesBySuffix() throws {
    // snippet.show
    // With the list of publicsuffix.org, which many systems have as a file.
    let list = try Data(contentsOf: URL(filePath: "/usr/share/publicsuffix/public_suffix_list.dat"))
    let suffixes = PublicSuffixes(list: String(decoding: list, as: UTF8.self))
    manager.servers["shop"] = Server("https://shop.example.com").cookies(CookieJar(publicSuffixes: suffixes))
    // snippet.hide
}

func cookies() {
    // snippet.show
    // The session cookie that the shop sets at the login goes with all calls to it.
    let jar = CookieJar()
    manager.servers["shop"] = Server("https://shop.example.com").cookies(jar)
    // snippet.hide
    jar.removeAll()
}

protocol Keychain: Sendable { func bytes() throws -> Data }

try await signIn(Login(user: "kim", password: "secret"))
print(try await orders())
