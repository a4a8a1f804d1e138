// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Where header fields go, by the level that sets them, by what they are, and by the target.
@Suite
struct CredentialReachTests {
    private static let mark = HTTPField.Name("X-Mark")
    private static let privateToken = HTTPField.Name("PRIVATE-TOKEN")
    private static let badge = HTTPField.Name("X-Badge")

    enum Kind: CaseIterable {
        /// `Authorization`, with a fixed value.
        case authorization
        /// `Authorization`, from a provider.
        case provider
        /// A field whose name looks secret.
        case secretName
        /// A field that is declared a credential.
        case declared
        /// A field that is not a credential.
        case ordinary
        /// A field that describes the message.
        case message
        /// A credential that is named for any origin.
        case named

        var name: HTTPField.Name? {
            switch self {
            case .authorization, .provider, .named: .authorization
            case .secretName: privateToken
            case .declared: badge
            case .ordinary: mark
            case .message: .acceptLanguage
            }
        }

        func set<Level: CallConfigurable>(on level: Level) throws -> Level {
            let name = try #require(name)
            switch self {
            case .provider: return level.header(name) { "value" }
            case .declared: return level.header(name, "value").credentialFields(name)
            case .named: return level.header(name, "value").fieldsForAnyOrigin(name)
            case .authorization, .secretName, .ordinary, .message: return level.header(name, "value")
            }
        }
    }

    /// A target, with the letter that stands for it in the table.
    enum Target: Character, CaseIterable {
        /// A registered server, by its alias; for the level of APIs, an API of it.
        case registered = "R"
        /// A whole URL of a registered server.
        case itsURL = "U"
        /// A whole URL of a server that is not registered.
        case foreignURL = "F"
        /// The address of a server that is not registered.
        case foreignAddress = "A"
        /// A redirect within the server.
        case sameServer = "S"
        /// A redirect within the origin, away from the path of the server.
        case sameOrigin = "="
        /// A redirect to another registered server.
        case otherServer = "O"
        /// A redirect to a server that is not registered.
        case foreign = "X"
        /// A redirect to the same host without TLS.
        case unencrypted = "H"

        var location: String? {
            switch self {
            case .registered, .itsURL, .foreignURL, .foreignAddress: nil
            case .sameServer: "https://api.example.com/v1/elsewhere"
            case .sameOrigin: "https://api.example.com/elsewhere"
            case .otherServer: "https://other.example.com/a"
            case .foreign: "https://foreign.example.net/a"
            case .unencrypted: "http://api.example.com/v1/a"
            }
        }
    }

    /// The targets that a field reaches, in the order of ``Target``.
    static let table: [(level: CallOptions.Level, kinds: [Kind], reached: String)] = [
        (.environment, [.authorization, .provider, .secretName, .declared], "RUS"),
        (.environment, [.ordinary], "RUFAS"),
        (.environment, [.message], "RUFAS=OXH"),
        (.environment, [.named], "RUFAS=OX"),
        (.manager, [.authorization, .provider, .secretName, .declared], "RUS"),
        (.manager, [.ordinary], "RUFAS"),
        (.manager, [.message], "RUFAS=OXH"),
        (.manager, [.named], "RUFAS=OX"),
        (.server, [.authorization, .provider, .secretName, .declared, .ordinary], "RUS"),
        (.server, [.message], "RUS=OXH"),
        (.server, [.named], "RUS=OX"),
        (.api, [.authorization, .provider, .secretName, .declared, .ordinary], "RS"),
        (.api, [.message], "RS=OXH"),
        (.api, [.named], "RS=OX"),
        (.call, [.authorization, .provider, .secretName, .declared, .ordinary], "RUFAS"),
        (.call, [.message], "RUFAS=OXH"),
        (.call, [.named], "RUFAS=OX"),
    ]

    private static let rows = table.flatMap { row in row.kinds.map { (row.level, $0, row.reached) } }

    private static let operation: APIAlias<Void> = "operation"

    /// Sends a call to a target, with the field set at one level; returns whether the last request carries it.
    private func reaches(_ target: Target, from level: CallOptions.Level, _ kind: Kind) async throws -> Bool {
        let client = StubbedClient(
            StubTransport { request in
                guard let location = target.location, request.url != location else {
                    return .status(.ok)
                }
                return .redirect(307, to: location)
            }
        )
        let manager = client.manager
        manager.servers["other"] = "https://other.example.com"
        manager.apis[Self.operation] = API(.get, "/a", server: "store")
        switch level {
        case .environment:
            manager.environments["here"] = try kind.set(on: ClientEnvironment())
            try manager.environments.use("here")
        case .manager: manager.options = try kind.set(on: manager.options)
        case .server: manager.servers["store"] = try kind.set(on: Server("https://api.example.com/v1"))
        case .api: manager.apis[Self.operation] = try kind.set(on: API(.get, "/a", server: "store"))
        case .call: break
        }
        var node = manager.request(Void.self).redirects(.follow.allowingPlainHTTP())
        switch target {
        case .itsURL: node = node.url("https://api.example.com/v1/a")
        case .foreignURL: node = node.url("https://foreign.example.net/a")
        case .foreignAddress: node = node.serverAddress("foreign.example.net").endpoint("/a")
        case .registered, .sameServer, .sameOrigin, .otherServer, .foreign, .unencrypted:
            node = level == .api ? node.api(Self.operation) : node.server("store").endpoint("/a")
        }
        if level == .call {
            node = try kind.set(on: node)
        }
        try await node.send()
        #expect(client.requests.count == (target.location == nil ? 1 : 2))
        let name = try #require(kind.name)
        return try #require(client.requests.last).headers.contains(name)
    }

    @Test(arguments: rows)
    func `a field reaches the targets that its level and its kind allow`(
        level: CallOptions.Level,
        kind: Kind,
        reached: String
    ) async throws {
        var found = ""
        for target in Target.allCases where try await reaches(target, from: level, kind) {
            found.append(target.rawValue)
        }
        #expect(found == reached, "\(kind) of the \(level)")
    }

    @Test
    func `the table has a line for each level and kind`() {
        #expect(Self.rows.count == CallOptions.Level.allCases.count * Kind.allCases.count)
    }

    // MARK: - Withheld credentials

    private static let foreign = "https://foreign.example.net/a"

    @Test
    func `a provider of the manager is not called for a target that does not receive its value`() async throws {
        let client = StubbedClient()
        let asked = Counter()
        client.manager.options = client.manager.options.header(.authorization) { "Bearer \(asked.next())" }
        _ = try await client.sent { $0.url(Self.foreign) }
        #expect(asked.value == 0)
        let home = try await client.sent { $0.server("store") }
        #expect(home.headers[.authorization] == "Bearer 1")
    }

    @Test
    func `the options in force name the credentials that a call does not send`() async throws {
        let client = StubbedClient()
        let token = try #require(Self.privateToken)
        client.manager.options = client.manager.options.header(token, "t0ken").header(.userAgent, "test/1")
        let node = client.manager.request(Void.self)
        let abroad = try await node.url(Self.foreign).response().explainOptions().map(\.description)
        #expect(abroad.contains("withheld credentials: PRIVATE-TOKEN (manager)"))
        #expect(abroad.contains("header fields: User-Agent (manager)"))
        let home = try await node.server("store").response().explainOptions().map(\.description)
        #expect(home.contains("header fields: PRIVATE-TOKEN, User-Agent (manager)"))
        #expect(!home.contains { $0.hasPrefix("withheld") })
    }

    @Test
    func `lint names the credentials that no registered server can get`() async throws {
        let manager = RestClientManager()
        let token = try #require(Self.privateToken)
        manager.options = manager.options.header(token, "t0ken").header(.authorization) { "Bearer t0ken" }
            .header(.userAgent, "test/1")
        let issue = try #require(await manager.lint().first)
        #expect(issue.kind == .withheldCredential)
        #expect(issue.message.contains("'Authorization', 'PRIVATE-TOKEN'"))
        #expect(!issue.message.contains("User-Agent"))
        #expect(!issue.message.contains("t0ken"))
        manager.options = manager.options.fieldsForAnyOrigin(.authorization, token)
        #expect(await manager.lint().isEmpty)
        manager.options = CallOptions().header(token, "t0ken")
        #expect(await manager.lint().count == 1)
        manager.servers["store"] = "https://api.example.com"
        #expect(await manager.lint().isEmpty)
    }

    @Test
    func `a call can name a field of the manager's for any origin`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.authorization, "t0ken").header(.cookie, "a=b")
        let request = try await client.sent { $0.url(Self.foreign).fieldsForAnyOrigin(.authorization) }
        #expect(request.headers[.authorization] == "t0ken")
        #expect(request.headers[.cookie] == nil)
    }

    @Test
    func `a call's own field wins over the manager's, wherever it goes`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.authorization, "manager")
        let request = try await client.sent { $0.url(Self.foreign).bearer("own") }
        #expect(request.headers[.authorization] == "Bearer own")
    }

    @Test
    func `the token of an authentication follows no redirect, even if its field is named for any origin`() async throws
    {
        let client = StubbedClient(answering: .redirect(307, to: Self.foreign), .status(.ok))
        client.manager.options = client.manager.options.fieldsForAnyOrigin(.authorization)
            .authentication(.bearer(TokenSource(AccessToken("t0ken")) { _ in AccessToken("fresh") }))
        try await client.manager.request(Void.self).endpoint("/a").send()
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer t0ken", nil])
    }

    @Test
    func `where a server's field stays at home, the manager's of that name goes along`() async throws {
        let client = StubbedClient(answering: .redirect(307, to: Self.foreign), .status(.ok))
        client.manager.options = client.manager.options.header(.userAgent, "app/1")
        client.manager.servers["store"] = Server("https://api.example.com").header(.userAgent, "store/1")
        try await client.manager.request(Void.self).endpoint("/a").send()
        #expect(client.requests.map { $0.headers[.userAgent] } == ["store/1", "app/1"])
    }

    // MARK: - The same decision for the cache and for masks

    @Test
    func `a withheld credential does not keep users apart in the cache`() async throws {
        let client = StubbedClient(answering: .text("7"))
        let node = client.manager.request(Int.self).url(Self.foreign).cache(.elseNetwork())
        client.manager.options = client.manager.options.header(.authorization, "kim")
        _ = try await node.send()
        client.manager.options = client.manager.options.header(.authorization, "lou")
        _ = try await node.send()
        #expect(client.requests.count == 1)
        _ = try await node.fieldsForAnyOrigin(.authorization).send()
        #expect(client.requests.count == 2)
    }

    @Test
    func `a declared credential is masked in the request that goes to the transport`() async throws {
        let client = StubbedClient()
        let badge = try #require(Self.badge)
        let request = try await client.sent { $0.header(badge, "s3cret").credentialFields(badge) }
        #expect(request.headers[badge] == "s3cret")
        #expect(request.description.contains("X-Badge: <redacted>"))
    }

    @Test
    func `a declared credential that Vary names is stored as a digest`() throws {
        let badge = try #require(Self.badge)
        let fields = SelectingFields(["x-badge"], of: [badge: "s3cret"], secrets: [badge]) { "digest of \($0.count)" }
        #expect(fields.fields.map(\.value) == ["digest of 6"])
    }
}
