// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClient

/// Equal calls that are under way at the same time share one request.
@Suite(.timeLimit(.minutes(5)))
struct SharedCallTests {
    private func start(_ count: Int, _ node: RequestNode<Int>) -> [Task<Response<Int>, any Error>] {
        (0..<count).map { _ in Task { try await node.response() } }
    }

    @Test(arguments: [CachePolicy.elseNetwork(), .http, .reload, .networkElseCache()])
    func `equal calls make one request, and one of them stores its response`(policy: CachePolicy) async throws {
        let gate = Gate()
        let cached = CachedClient(headers: [.cacheControl: "max-age=60"], gate: gate)
        let log = EventRecorder(cached.manager)
        let calls = start(50, cached.call(policy))
        await cached.manager.waitForSharedCalls(50)
        gate.open()
        var shared = 0
        var attempts = 0
        for call in calls {
            let response = try await call.value
            #expect(response.model == 1)
            if response.cache.isShared { shared += 1 }
            attempts += response.attempts
        }
        // While calls run at once, the task of one may still deliver the last events of another.
        try await log.waitForCalls(count: 50)

        #expect(cached.requests.count == 1)
        #expect(shared == 49)
        #expect(attempts == 1)
        #expect(log.lines.count { $0 == "cacheStored" } == 1)
        #expect(log.lines.count { $0 == "callShared" } == 49)
        #expect(cached.manager.core.sharing == (0, 0))
    }

    @Test
    func `calls with a key share one request, whatever their methods and bodies`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("7")
            }
        )
        let manager = client.manager
        func call(_ body: String, _ change: (RequestNode<Int>) -> RequestNode<Int> = { $0 }) -> Task<Int, any Error> {
            let node = change(manager.request(Int.self).post().endpoint("/sync/\(body)").values(["a": body]))
            return Task { try await node.sharingFlight(as: "sync").send() }
        }
        let joined = ["1", "2", "3"].map { call($0) }
        await manager.waitForSharedCalls(3, isCached: false)
        let others = [
            call("4") { $0.bearer("another user's") }, call("5") { $0.url("https://other.example.com/sync") },
            call("6") { $0.accepting([.accepted]) }, call("7") { $0.query("api_key", "another user's") },
        ]
        await manager.waitForSharedCalls(7, isCached: false)
        try await gate.waitForWaiters(count: 5)
        gate.open()

        for task in joined + others.prefix(2) + others.suffix(1) {
            #expect(try await task.value == 7)
        }
        await #expect(throws: RestClientError.self) { try await others[2].value }
        #expect(client.requests.count == 5)
    }

    @Test
    func `each call has its own events, and its terminal one comes last`() async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate)
        let log = EventRecorder(cached.manager)
        let first = Task { try await cached.call(.elseNetwork()).response() }
        await cached.manager.waitForSharedCalls(1)
        let second = Task { try await cached.call(.elseNetwork()).response() }
        await cached.manager.waitForSharedCalls(2)
        gate.open()
        let firstID = try await first.value.callID
        let secondID = try await second.value.callID
        try await log.waitForCalls(count: 2)

        #expect(
            log.events.filter { $0.callID == firstID }.map(\.line) == [
                "callStarted", "cacheMiss absent", "attemptStarted 1", "attemptFinished 1 200", "cacheStored",
                "modelLoaded", "callSucceeded 200 network",
            ]
        )
        #expect(
            log.events.filter { $0.callID == secondID }.map(\.line) == [
                "callStarted", "cacheMiss absent", "callShared", "modelLoaded", "callSucceeded 200 network",
            ]
        )
    }

    @Test
    func `the request continues for the others when the caller that started it is cancelled`() async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate)
        let log = EventRecorder(cached.manager)
        let first = Task { try await cached.call(.elseNetwork()).response() }
        await cached.manager.waitForSharedCalls(1)
        let second = Task { try await cached.call(.elseNetwork()).response() }
        await cached.manager.waitForSharedCalls(2)
        // The first one hears of it, as long as it is there.
        try await log.wait(for: .attemptStarted)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(log.lines.last == "callCancelled")
        gate.open()

        #expect(try await second.value.model == 1)
        #expect(cached.requests.count == 1)
        #expect(try await cached.call(.cacheOnly()).send() == 1)
    }

    @Test
    func `the request is cancelled when the last call has left, and nothing is stored`() async throws {
        let left = Gate()
        let transport = StubTransport { _ in
            do {
                try await Gate().wait()
            } catch {
                left.open()
                throw error
            }
            return .text("never")
        }
        let client = StubbedClient(transport)
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        let calls = start(3, node)
        await client.manager.waitForSharedCalls(3)
        try await client.transport.waitForRequests(count: 1)
        for call in calls { call.cancel() }
        try await left.wait()

        for call in calls {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        #expect(try await client.manager.cache.entries().isEmpty)
    }

    @Test
    func `each call keeps its own deadline`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let cached = CachedClient(gate: gate) { $0.clock = clock }
        let hasty = Task { try await cached.call(.elseNetwork()).timeout(.seconds(1)).response() }
        await cached.manager.waitForSharedCalls(1)
        let patient = Task { try await cached.call(.elseNetwork()).timeout(.seconds(60)).response() }
        await cached.manager.waitForSharedCalls(2)
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .seconds(2))

        let error = await #expect(throws: RestClientError.self) { try await hasty.value }
        #expect(error?.code == .timeout)
        gate.open()
        #expect(try await patient.value.model == 1)
    }

    @Test
    func `a failure is everybody's, and the next call asks again`() async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate)
        cached.fail(.connectionFailed)
        let calls = start(5, cached.call(.elseNetwork()))
        await cached.manager.waitForSharedCalls(5)
        gate.open()
        for call in calls {
            let error = await #expect(throws: RestClientError.self) { try await call.value }
            #expect(error?.code == .connectionFailed)
        }
        cached.fail(nil)

        #expect(try await cached.call(.elseNetwork()).send() == 2)
    }

    /// Pairs of calls that must not share a request.
    static let differing: [String: @Sendable (RequestNode<Int>) -> RequestNode<Int>] = [
        "header": { $0.header("X-Variant", "b") },
        "user": { $0.bearer("other") },
        "partition": { $0.cachePartition("other") },
        "query": { $0.query(["page": 2]) },
        "status": { $0.accepting([.ok, .notFound]) },
        "policy": { $0.cache(.reload) },
        "no": { $0.sharingFlight(false) },
        "own option": { $0.option(CallOptionKey<String>("tenant"), "other") },
        "own option that cannot be compared": { $0.option(CallOptionKey<Incomparable>("tenant"), Incomparable()) },
    ]

    private struct Incomparable: Sendable {}

    @Test(arguments: differing.keys.sorted())
    func `calls that differ ask for themselves`(difference: String) async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate)
        let change = try #require(Self.differing[difference])
        let calls = [cached.call(.elseNetwork()), change(cached.call(.elseNetwork()))]
            .map { node in Task { try await node.response() } }
        try await cached.client.transport.waitForRequests(count: 2)
        gate.open()
        for call in calls { _ = try await call.value }

        #expect(cached.requests.count == 2)
    }

    @Test(arguments: [true, false])
    func `calls with other values of an own option share a request only if it decides no response`(
        decidesResponse: Bool
    ) async throws {
        /// Sends another request for another tenant.
        struct Tenancy: Interceptor {
            let key: CallOptionKey<String>

            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                var request = request
                request.url += "?tenant=\(request.call.options[key] ?? "")"
                return try await next(request)
            }
        }
        let key = CallOptionKey<String>("tenant", decidesResponse: decidesResponse)
        let gate = Gate()
        let transport = StubTransport { request in
            try await gate.wait()
            return .text(request.url)
        }
        let client = StubbedClient(transport) { $0 = $0.interceptors(Tenancy(key: key), perAttempt: true) }
        let node = client.manager.request(String.self).endpoint("/me").sharingFlight()
        let tenants = ["acme", "umbrella", "acme"]
        let calls = tenants.map { tenant in Task { try await node.option(key, tenant).send() } }
        await client.manager.waitForSharedCalls(3, isCached: false)
        gate.open()
        var urls: [String] = []
        for call in calls { urls.append(try await call.value) }

        if decidesResponse {
            #expect(urls == tenants.map { "https://api.example.com/v1/me?tenant=\($0)" })
        }
        #expect(Set(urls).count == (decidesResponse ? 2 : 1))
        #expect(client.requests.count == (decidesResponse ? 2 : 1))
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func `a request that changes something is never shared`(method: HTTPRequest.Method) async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate)
        let node = cached.call(.elseNetwork()).method(method).sharingFlight()
        let calls = start(2, node)
        try await cached.client.transport.waitForRequests(count: 2)
        gate.open()
        for call in calls { _ = try await call.value }

        #expect(cached.requests.count == 2)
    }

    @Test(arguments: [true, false])
    func `calls without a cache share when they say so`(shares: Bool) async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate)
        let node = shares ? cached.call().sharingFlight() : cached.call()
        let calls = start(4, node)
        if shares {
            await cached.manager.waitForSharedCalls(4, isCached: false)
        } else {
            try await cached.client.transport.waitForRequests(count: 4)
        }
        gate.open()
        for call in calls { _ = try await call.value }

        #expect(cached.requests.count == (shares ? 1 : 4))
        #expect(try await cached.manager.cache.entries().isEmpty)
    }

    @Test
    func `a response that cannot be decoded is not shared forever`() async throws {
        let cached = CachedClient()
        cached.answer(.text("words"))
        let error = await #expect(throws: RestClientError.self) { try await cached.call(.elseNetwork()).send() }
        cached.answer(nil)

        #expect(error?.code == .decodingFailed)
        // The error keeps the response; equal calls must not wait for it.
        #expect(try await cached.call(.elseNetwork()).send() == 2)
        #expect(error?.response != nil)
    }

    @Test(arguments: [CachePolicy.elseNetwork(), .networkOnly])
    func `credentials that an attempt interceptor adds keep the response from others`(policy: CachePolicy) async throws
    {
        struct Signing: Interceptor {
            @TaskLocal static var user = "nobody"

            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                var request = request
                request.headers[.authorization] = "Bearer \(Self.user)"
                return try await next(request)
            }
        }
        let gate = Gate()
        let transport = StubTransport { request in
            try await gate.wait()
            return .text(request.headers[.authorization] ?? "")
        }
        let client = StubbedClient(transport) { $0 = $0.interceptors(Signing(), perAttempt: true) }
        let node = client.manager.request(String.self).endpoint("/me").cache(policy).sharingFlight()
        let calls = ["kim", "lee"]
            .map { user in
                Signing.$user.withValue(user) { Task { try await node.send() } }
            }
        await client.manager.waitForSharedCalls(2, isCached: policy != .networkOnly)
        gate.open()

        #expect(try await calls[0].value == "Bearer kim")
        #expect(try await calls[1].value == "Bearer lee")
    }

    @Test
    func `work inside the only slot does not wait for a call that waits for that slot`() async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate) { $0.workerCount = 1 }
        let node = cached.call(.elseNetwork())
        let inside = Gate()
        let log = EventRecorder(cached.manager)
        let job = LocalJob("inside") { _ in
            inside.open()
            try await log.wait(for: .callQueued)
            return try await node.send()
        }
        let work = Task { try await cached.manager.run(job) }
        try await inside.wait()
        let outside = Task { try await node.send() }
        gate.open()

        _ = try await work.value
        _ = try await outside.value
    }

    @Test
    func `despite cancellations nothing is fetched twice within its lifetime`() async throws {
        let fetched = Mutex<[String: [Double]]>([:])
        let wall = WallClock()
        let transport = StubTransport { request in
            let now = wall.now.timeIntervalSince1970
            await Task.yield()
            try Task.checkCancellation()
            fetched.withLock { $0[request.url, default: []].append(now) }
            return .text("\"\(request.url) \(now)\"")
        }
        let client = StubbedClient(transport) { $0.now = { wall.now } }
        let lifetime = 5.0
        for _ in 0..<20 {
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        let node = client.manager.request(String.self).endpoint("/key/{key}")
                            .parameter("key", index % 10).cache(.elseNetwork(maxAge: .seconds(lifetime)))
                        let call = Task { try await node.send() }
                        if index.isMultiple(of: 7) { call.cancel() }
                        if let text = try? await call.value {
                            #expect(text.contains("/key/\(index % 10) "), "a mixed answer")
                        }
                    }
                }
            }
            wall.advance(by: 2)
        }
        for (url, times) in fetched.withLock({ $0 }) {
            for (earlier, later) in zip(times, times.dropFirst()) {
                // A request whose callers had all left by the time of its response is the only exception.
                #expect(later - earlier > lifetime || later == earlier, "\(url) at \(times)")
            }
            #expect(Set(times).count <= 8)
        }
    }
}
