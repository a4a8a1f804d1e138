// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import RestClient

/// The application's own ways to use the cache.
@Suite(.timeLimit(.minutes(5)))
struct CacheModesTests {
    // MARK: - thenNetwork

    @Test
    func `then network gives the stored response and the server's, each with its source`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        cached.wall.advance(by: 90)
        let log = EventRecorder(cached.manager)
        var answers: [String] = []
        for try await response in cached.call(.thenNetwork).responses() {
            answers.append("\(response.model) \(response.source) \(response.attempts)")
        }

        #expect(answers == ["1 cache(age: 90.0 seconds) 0", "2 network 1"])
        #expect(
            log.lines == [
                "callStarted", "cacheHit 90", "cacheMiss requested", "attemptStarted 1", "attemptFinished 1 200",
                "cacheStored", "modelLoaded", "callSucceeded 200 network",
            ]
        )
    }

    @Test
    func `then network gives one value and no error when nothing is stored`() async throws {
        let cached = CachedClient()
        var models: [Int] = []
        for try await response in cached.call(.thenNetwork).responses() { models.append(response.model) }

        #expect(models == [1])
    }

    @Test
    func `then network gives the stored response before it fails`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        cached.fail(.connectionFailed)
        var models: [Int] = []
        let error = await #expect(throws: RestClientError.self) {
            for try await response in cached.call(.thenNetwork).responses() { models.append(response.model) }
        }

        #expect(models == [1])
        #expect(error?.code == .connectionFailed)
    }

    @Test
    func `then network asks conditionally, and says that the server confirmed`() async throws {
        let cached = CachedClient(headers: [.eTag: "\"a\""])
        _ = try await cached.call(.reload).send()
        var sources: [ResponseSource] = []
        for try await response in cached.call(.thenNetwork).responses() { sources.append(response.source) }

        #expect(sources == [.cache(age: .zero), .revalidatedCache])
        #expect(cached.requests.last?.headers[.ifNoneMatch] == "\"a\"")
    }

    @Test
    func `a call with room for one value gets the server's`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()

        #expect(try await cached.call(.thenNetwork).send() == 2)
        #expect(try await cached.call(.thenNetwork).response().source == .network)
    }

    @Test
    func `other policies give one value`() async throws {
        let cached = CachedClient()
        for policy in [CachePolicy.networkOnly, .reload, .elseNetwork(), .cacheOnly()] {
            var count = 0
            for try await _ in cached.call(policy).responses() { count += 1 }
            #expect(count == 1)
        }
    }

    @Test
    func `a handler that replaces results sees the stored response too`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        var models: [Int] = []
        let node = cached.call(.thenNetwork).mapResult { try $0.get() * 10 }
        for try await response in node.responses() { models.append(response.model) }

        #expect(models == [10, 20])
    }

    @Test
    func `leaving the sequence early cancels the call`() async throws {
        let gate = Gate(isOpen: false)
        let cached = CachedClient(gate: gate)
        gate.pass()
        _ = try await cached.call(.reload).send()
        let log = EventRecorder(cached.manager)
        for try await _ in cached.call(.thenNetwork).responses() { break }
        try await log.wait(for: .callCancelled)

        #expect(log.lines.filter { $0.hasPrefix("callSucceeded") }.isEmpty)
        #expect(try await cached.call(.cacheOnly()).send() == 1)
    }

    @Test
    func `callbacks get the stored response first and the server's second`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        let heard = Mutex<[String]>([])
        let node = cached.call(.thenNetwork)
            .onCacheSuccess { response in heard.withLock { $0.append("cached \(response.model)") } }
            .onSuccess { response in heard.withLock { $0.append("success \(response.model)") } }
            .onError { _ in heard.withLock { $0.append("error") } }
        await node.resume().finished()
        cached.fail(.timeout)
        await node.resume().finished()

        #expect(heard.withLock { $0 } == ["cached 1", "success 2", "cached 2", "error"])
    }

    @Test
    func `the late response is a success also when the server confirmed the stored one`() async throws {
        let cached = CachedClient(headers: [.eTag: "\"a\""])
        _ = try await cached.call(.reload).send()
        let heard = Mutex<[String]>([])
        await cached.call(.thenNetwork)
            .onCacheSuccess { response in heard.withLock { $0.append("cached \(response.source.isCache)") } }
            .onSuccess { response in heard.withLock { $0.append("success \(response.source.isCache)") } }
            .resume().finished()

        #expect(heard.withLock { $0 } == ["cached true", "success true"])
    }

    // MARK: - staleWhileRevalidate

    @Test
    func `stale while revalidate delivers what is stored and, without an age, refreshes it each time`() async throws {
        let cached = CachedClient()
        #expect(try await cached.call(.staleWhileRevalidate()).send() == 1)
        cached.wall.advance(by: 5)
        let second = try await cached.call(.staleWhileRevalidate()).response()
        await cached.manager.cache.revalidationsFinished()
        let third = try await cached.call(.cacheOnly()).response()

        #expect(second.model == 1)
        #expect(second.source == .cache(age: .seconds(5)))
        #expect(third.model == 2)
        #expect(third.source == .cache(age: .zero))
    }

    @Test
    func `a failed background refresh fails no call, and keeps the stored response`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        cached.fail(.connectionFailed)
        let log = EventRecorder(cached.manager)

        #expect(try await cached.call(.staleWhileRevalidate()).send() == 1)
        await cached.manager.cache.revalidationsFinished()
        #expect(log.lines.contains("callFailed connectionFailed"))
        #expect(try await cached.call(.cacheOnly()).send() == 1)
    }

    @Test(arguments: [(60, false), (61, true), (100_000, true)])
    func `stale while revalidate refreshes only what is too old`(age: Int, isRefreshed: Bool) async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        cached.wall.advance(by: Double(age))
        let response = try await cached.call(.staleWhileRevalidate(maxAge: .seconds(60))).response()
        await cached.manager.cache.revalidationsFinished()

        #expect(response.model == 1)
        #expect(response.cache.outcome == (isRefreshed ? .stale(.whileRevalidating) : .fresh))
        #expect(cached.requests.count == (isRefreshed ? 2 : 1))
    }

    @Test
    func `stale while revalidate shows what was marked as stale, and refreshes it`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        try await cached.manager.cache.invalidate(.all)
        let policy = CachePolicy.staleWhileRevalidate(maxAge: .seconds(3_600))

        #expect(try await cached.call(policy).send() == 1)
        await cached.manager.cache.revalidationsFinished()
        #expect(try await cached.call(policy).send() == 2)
    }

    // MARK: - networkElseCache

    static let networkFailures: [(RestClientError.Code, CacheFailures, Bool)] = [
        (.connectionFailed, .temporary, true),
        (.hostNotFound, .temporary, true), (.timeout, .temporary, true),
        (.connectionClosed, [.timeout], false), (.timeout, [.unreachable], false), (.timeout, [.timeout], true),
        (.malformedResponse, .temporary, false), (.responseTooLarge, .temporary, false),
        (.connectionFailed, [], false),
    ]

    @Test(arguments: networkFailures)
    func `a failure of the network counts when it is among those named`(
        code: RestClientError.Code,
        failures: CacheFailures,
        isStoodInFor: Bool
    ) async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        cached.fail(code)
        let node = cached.call(.networkElseCache(on: failures))
        if isStoodInFor {
            let response = try await node.response()
            #expect(response.model == 1)
            #expect(response.cache.outcome == .stale(.onFailure))
        } else {
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.code == code)
        }
    }

    static let statuses: [(Int, CacheFailures, Bool)] = [
        (500, .temporary, true), (503, .temporary, true), (429, .temporary, true), (501, .temporary, false),
        (404, .temporary, false), (401, .temporary, false), (503, [.unreachable], false), (429, [.serverError], false),
    ]

    @Test(arguments: statuses)
    func `a status counts when it is among those named`(
        code: Int,
        failures: CacheFailures,
        isStoodInFor: Bool
    ) async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        cached.answer(.status(.init(code: code)))
        let node = cached.call(.networkElseCache(on: failures))
        if isStoodInFor {
            let response = try await node.response()
            #expect(response.model == 1)
            #expect(response.cache.forwardedStatus == code)
        } else {
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.status?.code == code)
        }
    }

    @Test
    func `the network comes first while it works, and an entry that is too old does not stand in`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        #expect(try await cached.call(.networkElseCache()).send() == 2)

        cached.fail(.connectionFailed)
        cached.wall.advance(by: 61)
        #expect(try await cached.call(.networkElseCache(maxAge: .seconds(61))).send() == 2)
        await #expect(throws: RestClientError.self) {
            try await cached.call(.networkElseCache(maxAge: .seconds(60))).send()
        }
    }

    @Test
    func `with nothing stored the failure is the response`() async {
        let cached = CachedClient()
        cached.fail(.connectionFailed)
        let error = await #expect(throws: RestClientError.self) { try await cached.call(.networkElseCache()).send() }

        #expect(error?.code == .connectionFailed)
    }

    // MARK: - Who says it

    @Test
    func `the call's policy wins over the API's, and the API's over the manager's`() async throws {
        let cached = CachedClient { $0 = $0.cache(.elseNetwork()) }
        #expect(try await cached.call().send() == 1)
        #expect(try await cached.call().send() == 1)
        cached.manager.apis[APIAlias<Int>(rawValue: "number")]?.options = CallOptions().cache(.networkOnly)
        #expect(try await cached.call().send() == 2)
        #expect(try await cached.call(.elseNetwork()).send() == 1)
    }

    // MARK: - Prefetching

    @Test
    func `prefetching fills the cache, and harms nobody when it fails`() async throws {
        let cached = CachedClient(headers: [.cacheControl: "max-age=60"])
        await cached.manager.cache.prefetch(cached.call()).finished()
        await cached.manager.cache.prefetch(cached.call()).finished()
        #expect(cached.requests.count == 1)
        #expect(try await cached.call(.http).send() == 1)

        cached.fail(.connectionFailed)
        await cached.manager.cache.prefetch(cached.call(.reload)).finished()
        #expect(try await cached.call(.cacheOnly()).send() == 1)
    }
}
