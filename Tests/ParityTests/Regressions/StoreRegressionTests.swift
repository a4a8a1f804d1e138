// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import SharedStore
import TestSupport
import Testing

/// Defects of earlier clients in the cache, shared data and dummies; each test is named for one of them.
@Suite(.timeLimit(.minutes(5)))
struct StoreRegressionTests {
    @Test(arguments: [401, 404, 500, 503])
    func `a dummy's failure was a success`(status: Int) async throws {
        let manager = try RestClientManager.forTests()
        let failing = Dummy(.get, "/a").responds(.json(User(id: 1), status: .init(code: status)))
        try await manager.withDummies(.strict, [failing]) {
            let node = manager.request(User.self).serverAddress("api.example.com").endpoint("/a").cache(.elseNetwork())
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.status?.code == status)
            let entries = try await manager.cache.entries()
            #expect(entries.isEmpty)
        }
    }

    // MARK: - Keys

    /// The number of requests that reach the server when two nodes are sent after each other.
    private func requestCount(
        _ first: (RequestNode<User>) -> RequestNode<User>,
        _ second: (RequestNode<User>) -> RequestNode<User>
    ) async throws -> Int {
        try await Service.with { service async throws in
            service.server.onAny { request in User.response(request.number) }
            let node = service.manager.request(User.self).endpoint("/a").cache(.elseNetwork().keyedByBody())
            _ = try await first(node).send()
            _ = try await second(node).send()
            return service.server.requests.count
        }
    }

    @Test
    func `parameters that differ had one cache key`() async throws {
        #expect(
            try await requestCount {
                $0.query(["a": "1:b=2"])
            } _: {
                $0.query(["a": 1, "b": 2])
            } == 2
        )
        #expect(
            try await requestCount {
                $0.query(["a": "1&b=2"])
            } _: {
                $0.query(["a": 1, "b": 2])
            } == 2
        )
        let number = try await requestCount {
            $0.post().values(["a": 1])
        } _: {
            $0.post().values(["a": "1"])
        }
        #expect(number == 2)
    }

    @Test
    func `parameters that are equal had many cache keys`() async throws {
        let names = (0..<40).map { "name\($0)" }
        func nested(_ names: [String]) -> [String: JSONValue] {
            var inner: [String: JSONValue] = [:]
            for name in names {
                inner[name] = .object([name: true, "x": 1])
            }
            return ["outer": .object(inner)]
        }
        let count = try await requestCount {
            $0.post().values(nested(names))
        } _: {
            $0.post().values(nested(names.reversed()))
        }
        #expect(count == 1)
        #expect(
            try await requestCount {
                $0.endpoint("/a")
            } _: {
                $0.endpoint("a")
            } == 1
        )
    }

    @Test
    func `users shared their responses`() async throws {
        #expect(
            try await requestCount {
                $0.bearer("kim")
            } _: {
                $0.bearer("lee")
            } == 2
        )
        #expect(
            try await requestCount {
                $0.bearer("kim")
            } _: {
                $0.bearer("kim")
            } == 1
        )
        #expect(
            try await requestCount {
                $0.bearer("kim")
            } _: {
                $0
            } == 2
        )
    }

    // MARK: - Validators

    @Test
    func `a validator was sent without a body to show, and forgotten at a restart`() async throws {
        let directory = try TemporaryDirectory()
        try await Service.with { service async throws in
            service.server.onAny { request in
                request.headers["If-None-Match"] == "\"v1\""
                    ? .status(304, headers: ["ETag": "\"v1\""])
                    : .json(#"{"id": 1, "name": "kim"}"#, headers: ["ETag": "\"v1\"", "Cache-Control": "max-age=0"])
            }
            func send(clearing: Bool = false) async throws -> Response<User> {
                let manager = try RestClientManager.forTests()
                service.connect(manager)
                try manager.persist(in: directory.url)
                let node = manager.request(User.self).endpoint("/a").cache(.http)
                if clearing {
                    try await manager.cache.remove(node)
                }
                return try await node.response()
            }
            #expect(try await send().source == .network)
            let confirmed = try await send()
            #expect(confirmed.source == .revalidatedCache)
            #expect(confirmed.model == User(id: 1))
            let cleared = try await send(clearing: true)
            #expect(cleared.source == .network)
            #expect(cleared.model == User(id: 1))
            #expect(service.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"v1\"", nil])
        }
    }

    // MARK: - Modes

    @Test(arguments: [
        CachePolicy.http, .elseNetwork(), .thenNetwork, .networkElseCache(), .staleWhileRevalidate(), .revalidate,
        .reload, .networkOnly,
    ])
    func `an empty cache was taken for the response, and the sequence never ended`(policy: CachePolicy) async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let node = service.manager.request(User.self).endpoint("/a").cache(policy)
            #expect(try await node.send() == User(id: 1))
            try await service.manager.cache.remove(.all)
            var models: [User] = []
            for try await response in node.responses() {
                models.append(response.model)
            }
            #expect(models == [User(id: 1)])
        }
    }

    @Test
    func `a sequence that was refused or cancelled never ended`() async throws {
        struct Veto: Interceptor {
            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                throw Problem(message: "no")
            }
        }
        try await Service.with { service async throws in
            service.server.onAny { _ in .never }
            let node = service.manager.request(User.self).endpoint("/a").cache(.thenNetwork)
            try await service.manager.cache.store(User(id: 1), for: node)
            let hit = Recorder<User>()
            let reading = Task {
                for try await response in node.responses() {
                    hit.record(response.model)
                }
            }
            #expect(try await hit.waitForCount(1) == [User(id: 1)])
            reading.cancel()
            _ = await reading.result
            await #expect(throws: Problem(message: "no")) {
                for try await _ in node.interceptors(Veto()).responses() {}
            }
            await service.manager.calls.finished()
            #expect(service.manager.calls.running().isEmpty)
        }
    }

    @Test
    func `a call that was cancelled while it decoded wrote to the cache`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let decoding = Recorder<Void>()
            let cancelled = Gate()
            let node = service.manager
                .request(User.self)
                .decode { response in
                    decoding.record(())
                    // Decoding is not asynchronous: it goes on until the test has cancelled the call.
                    while !Task.isCancelled {}
                    cancelled.open()
                    return try JSONDecoder().decode(User.self, from: response.body)
                }
                .endpoint("/a").cache(.elseNetwork())
            let call = Task { try await node.send() }
            try await decoding.waitForCount(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await cancelled.wait()
            #expect(try await service.manager.cache.entries().isEmpty)
        }
    }

    @Test
    func `bytes that do not decode were cached`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in .json("{}") }
            let node = service.manager.request(User.self).endpoint("/a").cache(.elseNetwork())
            await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(try await service.manager.cache.entries().isEmpty)
        }
    }

    // MARK: - Shared data

    @Test
    func `a sealed value came back as raw bytes after a restart`() throws {
        let directory = try TemporaryDirectory()
        let secret = SealingKey.generate()
        let file = directory.path("shared.sqlite")
        for (index, codec) in [StorageCodec.identity, .gzip, .sealed(secret), .gzipSealed(secret)].enumerated() {
            let key = SharedKey<[User]>("users \(index)", codec: codec)
            let first = try SharedData(file: file)
            try first.set([User(id: 1), User(id: 2)], for: key)
            first.close()
            let second = try SharedData(file: file)
            #expect(try second.value(for: key) == [User(id: 1), User(id: 2)])
            second.close()
        }
    }

    @Test
    func `a codec that changed made old files unreadable`() throws {
        let directory = try TemporaryDirectory()
        let secret = SealingKey.generate()
        let file = directory.path("shared.sqlite")
        let first = try SharedData(file: file)
        try first.set(User(id: 1), for: SharedKey("me"))
        first.close()
        let second = try SharedData(file: file)
        defer { second.close() }
        let sealed = SharedKey<User>("me", codec: .sealed(secret), previousCodecs: [.identity])
        #expect(try second.value(for: sealed) == User(id: 1))
        try second.set(User(id: 2), for: sealed)
        let zipped = SharedKey<User>("me", codec: .gzipSealed(secret), previousCodecs: [.sealed(secret)])
        #expect(try second.value(for: zipped) == User(id: 2))
    }

    @Test
    func `removing everything left what had not been loaded`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("shared.sqlite")
        let first = try SharedData(file: file)
        for id in 1...3 {
            try first.set(User(id: id), for: SharedKey("user \(id)"))
        }
        first.close()
        let second = try SharedData(file: file)
        defer { second.close() }
        #expect(try second.removeAll() == 3)
        #expect(try second.names().isEmpty)
        #expect(try second.value(for: SharedKey<User>("user 1")) == nil)
    }
}
