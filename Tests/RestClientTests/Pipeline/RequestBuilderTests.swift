// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The builder of requests is a pure function, so only its arguments make a difference.
@Suite
struct RequestBuilderTests {
    private let registries = Registries()
    private let dummies = DummyRegistry()
    private let source = TokenSource(AccessToken("secret")) { _ in AccessToken("fresh") }
    private let node: RequestNode<Int> = RequestNode(APIAlias<Int>(rawValue: "create")).parameter("user", 7)
        .query(["page": 2]).values(["name": "Kim"])

    init() {
        registries.servers[.store] = Server("https://api.example.com/v1").bearer(source)
        registries.defaultServer = .store
        registries.apis[APIAlias<Int>(rawValue: "create")] = API(.post, "/users/{user}/orders").timeout(.seconds(5))
    }

    private func surroundings(_ mode: DummyMode = .off, refreshing: [TokenSource] = []) -> RequestBuilder.Surroundings {
        RequestBuilder.Surroundings(
            dummies: DummySurroundings(scopes: [], scopeMode: nil, dummies: dummies, mode: mode),
            refreshing: refreshing
        )
    }

    private func build(
        _ surroundings: RequestBuilder.Surroundings? = nil,
        id: CallID = CallID(rawValue: 1)
    ) throws -> OutgoingRequest {
        let builder = RequestBuilder(
            registries: registries.snapshot(),
            surroundings: surroundings ?? self.surroundings()
        )
        let prepared = try builder.build(node.specification)
        return try CallContext(prepared, CallContext.Beginning(id: id, start: .seconds(100))).request
    }

    /// Returns the facts of a request that can be compared.
    private func facts(_ request: OutgoingRequest) -> [String] {
        let policy = request.call.policy
        return [
            "\(request.method) \(request.url) \(request.headers) \(request.body?.bytes.map { Array($0) } ?? [])",
            "\(request.call.id) \(request.call.identity)",
            "\(request.call.start) \(policy.timeout as Any) \(request.call.deadline as Any)",
            "\(policy.scope ?? "-") \(policy.passesPool) \(policy.lendsSlot) \(policy.prefix) \(policy.dogmaAlias)",
            policy.options.description, "\(policy.parts.map { "\(type(of: $0)) \($0.distinction ?? "")" })",
        ]
    }

    @Test
    func `equal inputs make equal requests`() throws {
        let first = try build()
        #expect(first.url == "https://api.example.com/v1/users/7/orders?page=2")
        #expect(first.body?.bytes == Data(#"{"name":"Kim"}"#.utf8))
        #expect(first.call.deadline == .seconds(105))
        #expect(try facts(build()) == facts(first))
    }

    @Test
    func `the scopes around the builder make no difference`() async throws {
        let plain = try facts(build())
        let inside = try await RestClientManager.withDummies(.strict) { scope in
            scope.register(nil, "/{+rest}") { _ in .text("7") }
            return try await TokenRefreshScope.run(of: source) { try facts(build()) }
        }
        #expect(inside == plain)
        #expect(try build().call.policy.authentication != nil)
    }

    @Test
    func `the mode of the registry of dummies is not read again`() throws {
        let surroundings = surroundings()
        dummies.mode = .strict
        #expect(try build(surroundings).call.policy.dummies == nil)
        #expect(try build(.init(dummies: .current(dummies))).call.policy.dummies?.mode == .strict)
    }

    @Test
    func `the given surroundings decide`() async throws {
        let strict = try build(surroundings(.strict)).call.policy
        #expect(strict.dummies?.mode == .strict)
        #expect(strict.lendsSlot)
        let refreshing = try build(surroundings(refreshing: [source])).call.policy
        #expect(refreshing.authentication == nil)
        #expect(refreshing.tokenField == nil)
        #expect(refreshing.passesPool)
        var fixture = surroundings()
        let leave: CallIsolation.Leave = { $0() }
        let scope = await CallIsolation.open("fixture", isOfDummies: false, owner: nil, leave: leave, isolation: nil) {
            CallIsolation.current
        }
        fixture.fixture = scope
        #expect(scope != nil)
        #expect(try build(fixture).call.policy.scope == scope?.name)
    }

    @Test
    func `a call without features has no parts`() throws {
        registries.servers[.store] = "https://api.example.com/v1"
        #expect(try build().call.policy.parts.isEmpty)
    }
}

extension ServerAlias {
    fileprivate static let store: ServerAlias = "store"
}
