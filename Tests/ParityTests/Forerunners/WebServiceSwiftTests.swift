// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The documented examples of WebServiceSwift.
@Suite(.timeLimit(.minutes(5)))
struct WebServiceSwiftTests {
    private func withService(_ body: (Service, Gate) async throws -> Void) async throws {
        try await Service.with { service async throws in
            let gate = Gate()
            service.manager.apis[.user] = API(.get, "/users/{id}")
            service.server.on(.get, "/users/{id}") { request in
                User.response(Int(request.parameters["id"] ?? "") ?? 0).after(gate)
            }
            try await body(service, gate)
        }
    }

    @Test
    func `a request is a value that may be performed often`() async throws {
        try await withService { service, gate async throws in
            gate.open()
            let request = service.manager.request(.user).parameter("id", 7)
            #expect(try await request.send() == User(id: 7))
            #expect(try await request.parameter("id", 8).send() == User(id: 8))
            #expect(try await request.send() == User(id: 7))
        }
    }

    @Test
    func `a duplicate of a key is refused at once, and the first one goes on`() async throws {
        try await withService { service, gate async throws in
            let request = service.manager.request(.user).parameter("id", 7).refusingDuplicates(of: "user")
            let first = Task { try await request.send() }
            try await service.server.waitForRequests()
            let error = await #expect(throws: RestClientError.self) { try await request.send() }
            #expect(error?.code == .duplicateCall)
            gate.open()
            #expect(try await first.value == User(id: 7))
            #expect(service.server.requests.count == 1)
        }
    }

    @Test
    func `a duplicate is one of an equal request if there is no key`() async throws {
        try await withService { service, gate async throws in
            let request = service.manager.request(.user).parameter("id", 7).refusingDuplicates()
            let first = Task { try await request.send() }
            try await service.server.waitForRequests()
            let other = Task { try await request.parameter("id", 8).send() }
            try await service.server.waitForRequests(count: 2)
            let error = await #expect(throws: RestClientError.self) { try await request.send() }
            #expect(error?.code == .duplicateCall)
            gate.open()
            #expect(try await first.value == User(id: 7))
            #expect(try await other.value == User(id: 8))
        }
    }

    @Test
    func `requests are found and cancelled by key, by type and all at once`() async throws {
        try await withService { service, _ async throws in
            let ends = Recorder<String>()
            for (id, name) in [(1, "a"), (2, "b"), (3, "c")] {
                service.manager.request(.user).parameter("id", id).callIdentifier(name)
                    .onError(of: .cancelled) { _ in ends.record(name) }
                    .onError { ends.record("\(name): \($0)") }
                    .resume()
            }
            try await service.server.waitForRequests(count: 3)
            let calls = service.manager.calls
            #expect(calls.running(.identifier("b")).count == 1)
            #expect(calls.running(.model(User.self)).count == 3)
            #expect(calls.running(.model(String.self)).isEmpty)
            calls.cancel(.identifier("b"))
            try await service.server.waitForAbortedRequests(count: 1)
            #expect(try await ends.waitForCount(1) == ["b"])
            calls.cancel(.all)
            calls.cancel(.all)
            #expect(Set(try await ends.waitForCount(3)) == ["a", "b", "c"])
            #expect(calls.running().isEmpty)
        }
    }

    @Test
    func `the end of a screen cancels its requests, and no others`() async throws {
        try await withService { service, gate async throws in
            let outside = Task { try await service.manager.request(.user).parameter("id", 1).send() }
            try await service.server.waitForRequests()
            let inside = try await service.manager.withCalls {
                let call = Task { try await service.manager.request(.user).parameter("id", 2).send() }
                try await service.server.waitForRequests(count: 2)
                return call
            }
            await #expect(throws: CancellationError.self) { try await inside.value }
            gate.open()
            #expect(try await outside.value == User(id: 1))
        }
    }

    @Test
    func `stored data come first, and the server's after them`() async throws {
        try await withService { service, gate async throws in
            gate.open()
            let request = service.manager.request(.user).parameter("id", 7)
            try await service.manager.cache.store(User(id: 1, name: "stored"), for: request)
            var sources: [String] = []
            for try await response in request.cache(.thenNetwork).responses() {
                sources.append((response.source.isCache ? "cache " : "network ") + response.model.name)
            }
            #expect(sources == ["cache stored", "network kim"])
        }
    }

    @Test
    func `stored data have classes, which are deleted as one`() async throws {
        try await withService { service, gate async throws in
            gate.open()
            let node = service.manager.request(.user).cache(.elseNetwork())
            for (id, tag) in [(1, "profile"), (2, "profile"), (3, "rest")] {
                _ = try await node.parameter("id", id).cacheTags(tag).send()
            }
            #expect(try await service.manager.cache.remove(.tag("profile")) == 2)
            #expect(try await service.manager.cache.entries().flatMap(\.tags).contains("rest"))
            #expect(try await service.manager.cache.remove(.all) == 1)
        }
    }

    @Test
    func `WSS 13, a storage of one's own keeps the data, also for the next manager`() async throws {
        let shelf = Shelf()
        try await Service.with {
            $0.cacheBackend = shelf
        } _: { service async throws in
            service.server.onAny { _ in User.response(7) }
            func node(_ manager: RestClientManager) -> RequestNode<User> {
                manager.request(User.self).endpoint("/users/7").cache(.elseNetwork())
            }
            #expect(try await node(service.manager).send() == User(id: 7))
            #expect(await shelf.count == 1)

            let next = try RestClientManager.forTests { $0.cacheBackend = shelf }
            service.connect(next)
            let response = try await node(next).response()
            #expect(response.model == User(id: 7))
            #expect(response.source.isCache)
            #expect(service.server.requests.count == 1)

            #expect(try await next.cache.remove(node(next)))
            #expect(await shelf.count == 0)
        }
    }

    @Test(arguments: [(false, 6), (true, 3)])
    func `WSS 14, bytes are stored and decoded by each request, unless models are kept beside them`(
        keepsModels: Bool,
        decodings: Int
    ) async throws {
        try await withService { service, gate async throws in
            gate.open()
            let policy: CachePolicy = keepsModels ? .elseNetwork().keepingModels() : .elseNetwork()
            let node = service.manager.request(CountedUser.self).endpoint("/users/7").cache(policy)
            try await CountedUser.$decodings.withValue(Recorder()) { () async throws in
                // The server sends the first one, the second one reads the entry, and the third one keeps its model.
                for _ in 0..<6 {
                    #expect(try await node.send().id == 7)
                }
                #expect(CountedUser.decodings.count == decodings)
            }
            let bytes = try await service.manager.request(Data.self).endpoint("/users/7").cache(policy).response()
            #expect(bytes.model == Data(#"{"id": 7, "name": "kim"}"#.utf8))
            #expect(bytes.source.isCache)
            #expect(service.server.requests.count == 1)
        }
    }

    @Test
    func `WSS 18, data may stay in memory only, while others survive a restart`() async throws {
        let directory = try TemporaryDirectory()
        try await withService { service, gate async throws in
            gate.open()
            func send() async throws -> [Bool] {
                let manager = try RestClientManager.forTests()
                service.connect(manager)
                manager.apis[.user] = API(.get, "/users/{id}")
                try manager.persist(in: directory.url)
                let node = manager.request(.user).parameter("id", 1)
                let kept = node.cache(.elseNetwork())
                let fleeting = manager.request(.user).parameter("id", 2)
                    .cache(.elseNetwork().inMemory().keepingModels())
                _ = try await fleeting.send()
                #expect(try await fleeting.response().source.isCache)
                return [try await kept.response().source.isCache]
            }
            #expect(try await send() == [false])
            #expect(try await send() == [true])
            #expect(service.paths == ["/users/2", "/users/1", "/users/2"])
        }
    }

    @Test
    func `mocks respond to the requests they are for, and the rest goes to the server`() async throws {
        try await withService { service, gate async throws in
            gate.open()
            let mock = Dummy(.get, "/users/{id}")
                .matching("the seventh") { $0.parameters["id"] == "7" }
                .responds(.json(User(id: 7, name: "mock")))
            let names = try await service.manager.withDummies(.matched, [mock]) {
                let node = service.manager.request(.user)
                return [try await node.parameter("id", 7).send().name, try await node.parameter("id", 8).send().name]
            }
            #expect(names == ["mock", "kim"])
        }
    }

    @Test
    func `a part of a program sees only its own requests`() async throws {
        /// A provider: a type that sends these requests, and no others.
        struct Users: Sendable {
            private let manager: RestClientManager

            init(_ manager: RestClientManager) {
                self.manager = manager
            }

            func user(_ id: Int) async throws -> User {
                try await manager.request(.user).parameter("id", id).send()
            }
        }
        try await withService { service, gate async throws in
            gate.open()
            #expect(try await Users(service.manager).user(4) == User(id: 4))
        }
    }
}

/// A model that tells how often it is decoded.
private struct CountedUser: Decodable, Sendable {
    @TaskLocal static var decodings = Recorder<Void>()

    private enum CodingKeys: CodingKey {
        case id
    }

    let id: Int

    init(from decoder: any Decoder) throws {
        Self.decodings.record(())
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    }
}
