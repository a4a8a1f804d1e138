// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// Calls in a scope of dummies teach nothing to other scopes, nor to calls outside of scopes.
@Suite(.timeLimit(.minutes(5)))
struct IsolatedStateTests {
    /// A guard, and the response of dummies that makes it refuse further calls.
    struct Ruin: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: RestClientError.Code
        let response: DummyResponse
        let guarded: @Sendable (Server) -> Server

        private static func impatient(_ limit: RateLimit) -> RateLimit {
            var limit = limit
            limit.maximumWait = .zero
            return limit
        }

        static let all: [Ruin] = [
            Ruin(testDescription: "breaker", code: .circuitOpen, response: .status(.serviceUnavailable)) {
                $0.circuitBreaker(.failures(2, within: .seconds(60), opensFor: .seconds(3_600)))
            },
            Ruin(testDescription: "rate", code: .rateLimitExceeded, response: .text("scope")) {
                $0.rateLimit(impatient(.window(1, per: .seconds(3_600))))
            },
            Ruin(
                testDescription: "learned rate",
                code: .rateLimitExceeded,
                response: .status(.tooManyRequests, headers: [.retryAfter: "3600"])
            ) {
                $0.rateLimit(impatient(.learned))
            },
            Ruin(testDescription: "shared rate", code: .rateLimitExceeded, response: .text("scope")) {
                $0.rateLimit(impatient(RateLimit.window(1, per: .seconds(3_600)).sharedAcrossProcesses()))
            },
        ]
    }

    private let client = StubbedClient(StubTransport { _ in .text("network") })
    private var manager: RestClientManager { client.manager }

    private func text(_ path: PathTemplate = "/a") async throws -> String {
        try await manager.request(String.self).endpoint(path).send()
    }

    private func code() async -> RestClientError.Code? {
        do {
            _ = try await text()
            return nil
        } catch {
            return (error as? RestClientError)?.code
        }
    }

    /// Calls in a scope of their own, and outside of scopes, are as if there had been no others.
    private func expectUntouched() async throws {
        let manager = manager
        let texts =
            try await Task.detached {
                let inside = try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("other"))]) {
                    try await manager.request(String.self).endpoint("/a").send()
                }
                return [inside, try await manager.request(String.self).endpoint("/a").send()]
            }
            .value
        #expect(texts == ["other", "network"])
    }

    @Test(arguments: Ruin.all)
    func `a guard is ruined for its own scope only`(ruin: Ruin) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("isolated-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try manager.persist(in: folder)
        manager.servers["store"] = ruin.guarded("https://api.example.com/v1")

        try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(ruin.response)]) {
            for _ in 0..<3 {
                _ = await code()
            }

            #expect(await code() == ruin.code)
            #expect(!manager.guards.snapshots.isEmpty)
            try await expectUntouched()
            #expect(await code() == ruin.code)
        }
    }

    @Test
    func `a call that holds the only turn or the key of a server holds up no other scope`() async throws {
        let gate = Gate()
        manager.servers["store"] = Server("https://api.example.com/v1").concurrency(1).refusingDuplicates(of: "one")
        let manager = manager

        try await manager.withDummies(.strict) {
            manager.dummies.register(.get, "/a") { _ in
                try await gate.wait()
                return .text("scope")
            }
            async let held = text()
            try await gate.waitForWaiters(count: 1)

            #expect(await code() == .duplicateCall)
            try await expectUntouched()
            let elsewhere =
                await Task.detached {
                    let outside = (manager.calls.running().count, manager.calls.cancel(.all))
                    return await manager.withDummies {
                        (outside, manager.calls.running().count, manager.calls.cancel(.all))
                    }
                }
                .value
            #expect(elsewhere.0 == (0, 0) && elsewhere.1 == 0 && elsewhere.2 == 0)
            #expect(manager.calls.running().count == 1)
            gate.open()
            #expect(try await held == "scope")
        }
    }

    @Test
    func `a scope cancels its own calls, and those of the scopes in it`() async throws {
        let gate = Gate()
        let held = Dummy(.get, "/a")
            .responds { _ in
                try await gate.wait()
                return .text("late")
            }
        try await manager.withDummies(.strict) {
            async let inner = manager.withDummies(.strict, [held]) { await code() }
            try await gate.waitForWaiters(count: 1)

            #expect(manager.calls.cancel(.all) == 1)

            #expect(await inner == nil)
        }
    }

    @Test
    func `tokens that dummies issued stay in their scope, and out of the store`() async throws {
        let data = SharedData()
        let key = SharedKey<AccessToken>(
            "session",
            codec: .sealed(try SealingKey(bytes: Data(repeating: 7, count: 32)))
        )
        let source = TokenSource(AccessToken("real")) { _ in AccessToken("dummy") }
        try source.keep(
            in: data,
            as: "session",
            sealedWith: try SealingKey(bytes: Data(repeating: 7, count: 32))
        )
        manager.servers["store"] = Server("https://api.example.com/v1").authentication(.bearer(source))
        let onlyDummy = Dummy(.get, "/a")
            .responds { request in
                request.headers[.authorization] == "Bearer dummy" ? .text("scope") : .status(.unauthorized)
            }

        try await manager.withDummies(.strict, [onlyDummy]) {
            #expect(source.current?.value == "real")
            #expect(try await text() == "scope")
            #expect(source.current?.value == "dummy")
            // A call that leaves the scope asks the server, as the user that it knows.
            _ = try await manager.request(String.self).endpoint("/a").dummies(.off).send()
            source.current = nil
        }

        #expect(source.current?.value == "real")
        #expect(try data.value(for: key)?.value == "real")
        #expect(try await text() == "network")
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer real", "Bearer real"])
    }

    private enum Span {
        @TaskLocal static var name: String?
    }

    @Test
    func `a refresh for a call that leaves a scope of dummies keeps the other values of the task`() async throws {
        let expired = AccessToken("old", expiresAt: .distantPast)
        let (spans, refreshes) = (Recorder<String?>(), Recorder<Int>())
        let inner = TokenSource(expired) { [manager] _ in
            spans.record(Span.name)
            refreshes.record(TokenRefreshScope.sources.count)
            return AccessToken(try await manager.request(String.self).endpoint("/inner").send())
        }
        let outer = TokenSource(expired) { [manager] _ in
            spans.record(Span.name)
            refreshes.record(TokenRefreshScope.sources.count)
            let node = manager.request(String.self).endpoint("/outer").bearer(inner).dummies(.off)
            return AccessToken(try await manager.withDummies(.strict) { try await node.send() })
        }
        let node = manager.request(String.self).endpoint("/a").bearer(outer).dummies(.off)
        // What a manager has registered itself comes before an environment.
        manager.servers["store"] = nil
        let staging = ClientEnvironment(servers: ["store": "https://staging.example.com"])

        let text = try await Span.$name.withValue("span") {
            try await manager.withEnvironment(staging) {
                try await manager.withDummies(.strict) { try await node.send() }
            }
        }

        #expect(text == "network")
        #expect(spans.elements == ["span", "span"])
        #expect(refreshes.elements == [1, 2])
        let hosts = ["inner", "outer", "a"].map { "https://staging.example.com/\($0)" }
        #expect(client.requests.map(\.url) == hosts)
    }

    @Test
    func `cookies that dummies set stay in their scope`() async throws {
        let jar = CookieJar([Cookie("kept", "1", domain: "api.example.com")])
        manager.options = manager.options.cookies(jar)
        let setting = Dummy(.get, "/a").responds(.text("scope", headers: [.setCookie: "invented=1"]))

        try await manager.withDummies(.strict, [setting]) {
            _ = try await text()
            #expect(jar.cookies.map(\.name) == ["kept", "invented"])
            jar.removeAll()
        }

        #expect(jar.cookies.map(\.name) == ["kept"])
        _ = try await text()
        #expect(client.requests.map { $0.headers[.cookie] } == ["kept=1"])
    }

    @Test
    func `calls of one manager learn nothing in a scope of another one, however the scopes are nested`() async throws {
        let other = StubbedClient(
            StubTransport { _ in .text("network", headers: [.setCookie: "server=1; Path=/"]) }
        )
        let source = TokenSource(AccessToken("first")) { AccessToken(($0?.value ?? "") + "+") }
        let jar = CookieJar()
        let seen = Recorder<String>()
        func dummy(_ name: String) -> Dummy {
            Dummy(.get, "/a")
                .responds { request in
                    let token = request.headers[.authorization] ?? "none"
                    seen.record("\(name): \(token), \(request.headers[.cookie] ?? "none")")
                    guard name == "b" || token != "Bearer first" else {
                        return .status(.unauthorized)
                    }
                    return .text(name, headers: [.setCookie: "\(name)=1; Path=/"])
                }
        }
        func send(with manager: RestClientManager) async throws {
            _ = try await manager.request(String.self).endpoint("/a").bearer(source).cookies(jar).send()
        }

        try await manager.withDummies(.strict, [dummy("a")]) {
            try await send(with: manager)
            try await send(with: other.manager)
            try await send(with: manager)
            #expect(source.current?.value == "first+")
            #expect(jar.cookies.map(\.name) == ["a"])
            try await other.manager.withDummies(.strict, [dummy("b")]) {
                try await send(with: other.manager)
                try await send(with: manager)
                try await send(with: other.manager)
            }
        }

        #expect(
            seen.elements == [
                "a: Bearer first, none", "a: Bearer first+, none", "a: Bearer first+, a=1",
                "b: Bearer first, server=1", "a: Bearer first+, a=1", "b: Bearer first, server=1; b=1",
            ]
        )
        #expect(other.requests.map { $0.headers[.authorization] } == ["Bearer first"])
        #expect(other.requests.map { $0.headers[.cookie] } == [nil])
        #expect(source.current?.value == "first")
        #expect(jar.cookies.map(\.name) == ["server"])
    }

    @Test
    func `stored responses are neither seen, invalidated nor removed by another scope`() async throws {
        let node = manager.request(String.self).endpoint("/a").cache(.elseNetwork(maxAge: .seconds(600)))
        let (manager, client) = (manager, client)
        #expect(try await node.send() == "network")

        try await manager.withDummies(.strict) {
            manager.dummies.register(.get, "/a") { _ in .text("scope") }
            manager.dummies.register(.post, "/a") { _ in .status(.created) }
            #expect(try await node.send() == "scope")
            #expect(try await manager.cache.entries().count == 1)
            try await manager.request(Void.self).endpoint("/a").post().send()
            _ = try await manager.cache.remove(.all)
        }

        #expect(try await node.response().source.isCache)
        #expect(client.requests.count == 1)
        #expect(try await manager.cache.entries().count == 1)
    }

    @Test
    func `what the manager's own dummies said is not stored for the server`() async throws {
        let node = manager.request(String.self).endpoint("/a").cache(.elseNetwork(maxAge: .seconds(600)))
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/a") { _ in .text("invented") }
        #expect(try await node.send() == "invented")

        manager.dummies.mode = .off

        #expect(try await node.send() == "network")
    }

    @Test
    func `a download that dummies began is not resumed from the server`() async throws {
        let bytes = Data("0123456789".utf8)
        let etag = "\"v1\""
        let client = StubbedClient(StubTransport { _ in RawResponse(headers: [.eTag: etag], body: bytes) })
        let node = client.manager.request(Void.self).endpoint("/file")
        let cut = Dummy(.get, "/file")
            .responds(
                DummyResponse.bytes(Data("abcdefghij".utf8), headers: [.eTag: etag, .acceptRanges: "bytes"])
                    .truncated(after: 4)
            )
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("isolated-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }

        await client.manager.withDummies(.strict, [cut]) {
            _ = await #expect(throws: RestClientError.self) { try await node.download(to: path) }
        }
        #expect(FileManager.default.fileExists(atPath: path + ".partial"))
        _ = try await node.download(to: path)

        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(client.requests.allSatisfy { $0.headers[.range] == nil })
    }

    @Test
    func `dummies with a number of calls come before those without, whatever their order`() async throws {
        let twice = Dummy(.get, "/a").times(2).responds(.text("first"))
        let always = Dummy(.get, "/a").responds(.text("then"))
        for dummies in [[twice, always], [always, twice]] {
            try await manager.withDummies(.strict, dummies) {
                let texts = [try await text(), try await text(), try await text()]
                #expect(texts == ["first", "first", "then"])
            }
        }
    }

    @Test
    func `a form is a body, and a closure may choose between responses`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(.post, "/a") { request in
            let form = try request.form()
            return form.parts.isEmpty ? .status(.badRequest) : .json(["count": form.parts.count])
        }

        let form = MultipartForm().field("user", "kim")

        let node = manager.request([String: Int].self).endpoint("/a").post().body(.multipart(form))
        #expect(try await node.send() == ["count": 1])
    }
}
