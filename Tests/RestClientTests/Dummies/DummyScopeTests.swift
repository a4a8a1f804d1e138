// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient

/// Dummies of a task, and of the tasks that it starts.
@Suite(.timeLimit(.minutes(5)))
struct DummyScopeTests {
    private let client = StubbedClient(StubTransport { _ in .text("network") })
    private var manager: RestClientManager { client.manager }

    private func answer(_ path: PathTemplate = "/a") async throws -> String {
        try await manager.request(String.self).endpoint(path).send()
    }

    private func expect(
        _ text: String,
        _ path: PathTemplate = "/a",
        of manager: RestClientManager? = nil,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await (manager ?? self.manager).request(String.self).endpoint(path).send()
        #expect(found == text, sourceLocation: location)
    }

    @Test
    func `a scope's dummies respond within it, and nowhere else`() async throws {
        try await manager.withDummies(.strict) {
            manager.dummies.register(.get, "/a") { _ in .text("scope") }
            try await expect("scope")
        }
        try await expect("network")
        #expect(manager.dummies.all.isEmpty)
        #expect(manager.dummies.mode == .off)
    }

    @Test
    func `a scope is strict by default`() async throws {
        try await manager.withDummies {
            #expect(manager.dummies.mode == .strict)
            manager.dummies.register(.get, "/a") { _ in .status(.ok) }
            try await manager.request(Void.self).endpoint("/a").send()
        }
        await RestClientManager.withDummies { #expect($0.mode == .strict) }
    }

    @Test
    func `a scope starts with the given dummies, and returns its operation's result`() async throws {
        let text = try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("given"))]) {
            try await answer()
        }
        #expect(text == "given")
    }

    @Test
    func `a scope ends with the error of its operation, in its own type`() async {
        struct Odd: Error, Equatable {}
        let manager = manager
        func failing() async throws(Odd) {
            try await manager.withDummies(.strict) { () async throws(Odd) in throw Odd() }
        }
        await #expect(throws: Odd()) { try await failing() }
        #expect(manager.dummies.mode == .off)
    }

    @Test
    func `concurrent tasks on one manager do not see one another's dummies`() async throws {
        let everyoneIsIn = Gate()
        let texts = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await manager.withDummies(.strict) {
                        manager.dummies.register(.get, "/a") { _ in .text("\(number)") }
                        try await everyoneIsIn.wait()
                        let texts = [try await answer(), try await answer()]
                        try manager.dummies.verify(Dummy(.get, "/a"), times: 2)
                        return (number, texts)
                    }
                }
            }
            try await everyoneIsIn.waitForWaiters(count: 20)
            everyoneIsIn.open()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(texts == Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, ["\($0)", "\($0)"]) }))
    }

    @Test
    func `child tasks, groups and unstructured tasks inherit a scope, detached ones do not`() async throws {
        try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("scope"))]) {
            async let child = answer()
            let texts = [
                try await child,
                try await Task { try await answer() }.value,
                try await Task.detached { try await answer() }.value,
            ]
            #expect(texts == ["scope", "scope", "network"])
            let report = await manager.concurrently([RequestNode(String.self).endpoint("/a")])
            #expect(report.values == ["scope"])
        }
    }

    @Test
    func `calls with callbacks and prefetches stay in the scope that begins them`() async {
        let client = StubbedClient(StubTransport { _ in .text("network") })
        let texts = Recorder<String>()
        let node = client.manager.request(String.self).endpoint("/a").onSuccess { texts.record($0.model) }
        await client.manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("scope"))]) {
            await node.resume().finished()
            await node.resume { result in texts.record((try? result.get().model) ?? "failed") }.finished()
            await client.manager.cache.prefetch(node.cache(.reload)).finished()
        }
        #expect(texts.elements == ["scope", "scope"])
        #expect(client.requests.isEmpty)
    }

    @Test
    func `a run of a graph inherits a scope on any thread of its nodes`() async throws {
        var graph = JobGraph("graph")
        let numbers = graph.local("numbers") { [1, 2, 3, 4] }
        let answers = graph.forEach("each", in: numbers, limit: 2) { number in
            RequestNode(String.self).endpoint("/items/{number}").parameter("number", number)
        }
        let run = try await manager.withDummies(.strict) {
            manager.dummies.register(.get, "/items/{number}") { .text($0.parameters["number"] ?? "") }
            return try await manager.run(graph)
        }
        #expect(try run[answers] == ["1", "2", "3", "4"])
    }

    @Test
    func `a task that outlives its scope keeps it`() async throws {
        let gate = Gate()
        let task = await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("scope"))]) {
            Task {
                try await gate.wait()
                return try await answer()
            }
        }
        gate.open()
        #expect(try await task.value == "scope")
    }

    @Test
    func `a call whose scope was opened on the main actor stays there between calls`() async throws {
        let text = try await Task { @MainActor in
            try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("scope"))]) {
                MainActor.assertIsolated()
                let text = try await answer()
                MainActor.assertIsolated()
                return text
            }
        }
        .value
        #expect(text == "scope")
    }

    // MARK: - Nesting

    @Test
    func `the dummies of an inner scope come first, then those around it, then the manager's`() async throws {
        manager.dummies.mode = .matched
        for path in ["/a", "/b", "/c"] as [PathTemplate] {
            manager.dummies.register(.get, path) { _ in .text("manager") }
        }
        try await manager.withDummies(.strict) {
            manager.dummies.register(.get, "/a") { _ in .text("outer") }
            manager.dummies.register(.get, "/b") { _ in .text("outer") }
            try await manager.withDummies(.strict) {
                // Less specific than those around it, and yet it comes first.
                manager.dummies.register(
                    Dummy(nil, "/{x}").matching("is a") { $0.url.hasSuffix("a") }.responds(.text("inner"))
                )
                try await expect("inner", "/a")
                try await expect("outer", "/b")
                try await expect("manager", "/c")
            }
            try await expect("outer", "/a")
            try await expect("outer", "/b")
            try await expect("manager", "/c")
        }
        try await expect("manager", "/a")
    }

    @Test
    func `the innermost mode holds`() async throws {
        manager.dummies.mode = .strict
        manager.options = manager.options.dummies(.strict)
        try await manager.withDummies(.matched) {
            try await expect("network")
            try await manager.withDummies(.strict) {
                let error = await #expect(throws: RestClientError.self) { try await answer() }
                #expect(error?.message.contains("no dummy is registered") == true)
                try await manager.withDummies(.off) {
                    try await expect("network")
                }
            }
        }
    }

    @Test
    func `a scope without dummies within another one leaves that one in all respects`() async {
        let source = TokenSource(AccessToken("outside")) { _ in AccessToken("fresh") }
        await manager.withDummies(.strict) {
            source.current = AccessToken("invented")
            await manager.withDummies(.off) {
                #expect(CallIsolation.current == nil)
                #expect(source.current?.value == "outside")
                source.current = AccessToken("real")
            }
            #expect(source.current?.value == "invented")
        }
        #expect(source.current?.value == "real")
    }

    @Test
    func `the manager's own dummies do not respond in a scope if they are off`() async throws {
        manager.dummies.register(.get, "/a") { _ in .text("manager") }
        try await manager.withDummies(.matched) {
            try await expect("network")
        }
    }

    @Test
    func `a scope takes precedence over the mode of a server, and a call over its scope`() async throws {
        manager.servers["store"] = Server("https://api.example.com/v1").dummies(.off)
        try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("scope"))]) {
            try await expect("scope")
            let sent = try await manager.request(String.self).endpoint("/a").dummies(.off).send()
            #expect(sent == "network")
            let text = try await manager.request(String.self).endpoint("/a").dummies(.strict).send()
            #expect(text == "scope")
        }
    }

    @Test
    func `a sequence of an outer scope continues in an inner one`() async throws {
        let dummy = Dummy(.get, "/a").responds(.text("first")).then(.text("second"))
        try await manager.withDummies(.strict, [dummy]) {
            try await expect("first")
            try await manager.withDummies(.strict) { try await expect("second") }
        }
    }

    // MARK: - Managers

    @Test
    func `a scope is for its manager alone, or for all`() async throws {
        let other = StubbedClient(StubTransport { _ in .text("network") }).manager
        try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("one"))]) {
            try await expect("network", of: other)
            try await expect("one")
        }
        try await RestClientManager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("all"))]) { dummies in
            try await expect("all", of: other)
            try await expect("all")
            #expect(manager.dummies === dummies)
            try dummies.verify(Dummy(.get, "/a"), times: 2)
            try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("one"))]) {
                try await expect("all", of: other)
                try await expect("one")
            }
        }
    }

    // MARK: - Shared state

    @Test
    func `scopes share no stored responses with one another or with calls outside`() async throws {
        let node = manager.request(String.self).endpoint("/a").cache(.elseNetwork())
        func answerTwice() async throws -> [String] { [try await node.send(), try await node.send()] }
        #expect(try await answerTwice() == ["network", "network"])
        for number in 1...2 {
            try await manager.withDummies(.strict, [Dummy(.get, "/a").responds(.text("\(number)"))]) {
                #expect(try await answerTwice() == ["\(number)", "\(number)"])
                try manager.dummies.verify(Dummy(.get, "/a"), times: 1)
            }
        }
        #expect(try await answerTwice() == ["network", "network"])
        #expect(client.requests.count == 1)
    }

    @Test
    func `users are kept apart within a scope too`() async throws {
        let dummy = Dummy(.get, "/a").responds { request in .text(request.headers[.authorization] ?? "") }
        try await manager.withDummies(.strict, [dummy]) {
            let node = manager.request(String.self).endpoint("/a").cache(.elseNetwork())
            let texts = [try await node.bearer("one").send(), try await node.bearer("two").send()]
            #expect(texts == ["Bearer one", "Bearer two"])
        }
    }

    @Test
    func `a scope logs the calls within it that a dummy responded to, and the innermost one logs all`() async throws {
        manager.dummies.mode = .matched
        manager.dummies.register(.get, "/a") { _ in .text("manager") }
        try await manager.withDummies(.matched, [Dummy(.get, "/b")]) {
            try await manager.withDummies(.matched) {
                _ = try await answer("/a")
                #expect(manager.dummies.calls.map(\.request.url) == ["https://api.example.com/v1/a"])
                try await manager.request(Void.self).endpoint("/b").send()
                _ = try await answer("/c")
                #expect(manager.dummies.calls.map { $0.responder?.description } == ["GET /a", "GET /b", nil])
            }
            #expect(manager.dummies.calls.map { $0.responder?.description } == ["GET /a", "GET /b"])
        }
        #expect(manager.dummies.calls.map { $0.responder?.description } == ["GET /a"])
    }
}
