// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientTesting
import RestEssentials
import SharedStore
import Synchronization
import TestSupport
import Testing

@testable import RestClient

/// A cache on an engine of the user's own.
@Suite(.timeLimit(.minutes(5)))
struct CacheBackendTests {
    /// The smallest engine: a dictionary.
    final class Shelf: CacheBackend {
        let isShared: Bool
        private let entries = Mutex<[String: CacheEntry]>([:])
        /// Returns true for keys that this engine mistakes for one another.
        private let isLax: Bool

        init(isShared: Bool = false, isLax: Bool = false) {
            self.isShared = isShared
            self.isLax = isLax
        }

        var contents: [String: CacheEntry] { entries.withLock { $0 } }

        private func name(_ key: String) -> String {
            isLax ? "\(key.utf8.count)" : key.utf8.map { String($0, radix: 16) }.joined(separator: "-")
        }

        func entry(for key: String) -> CacheEntry? { entries.withLock { $0[name(key)] } }
        func store(_ entry: CacheEntry, for key: String) { entries.withLock { $0[name(key)] = entry } }
        func remove(_ key: String) -> Bool { entries.withLock { $0.removeValue(forKey: name(key)) != nil } }

        func keys(prefix: String) -> [String] {
            entries.withLock { Array($0.keys) }
                .map { name in
                    String(decoding: name.split(separator: "-").compactMap { UInt8($0, radix: 16) }, as: UTF8.self)
                }
                .filter { $0.utf8.starts(with: prefix.utf8) }
        }

        /// Drops everything, as an engine may.
        func drop() { entries.withLock { $0 = [:] } }

        /// Damages everything.
        func damage() {
            entries.withLock { entries in
                for key in entries.keys { entries[key]?.metadata = Data([1]) }
            }
        }
    }

    /// An engine that throws whatever it is asked.
    private struct Broken: CacheBackend {
        struct Failure: Error {}

        let calls = Recorder<String>()

        private func fail(_ name: String) throws -> Never {
            calls.record(name)
            throw Failure()
        }

        func entry(for key: String) throws -> CacheEntry? { try fail("read") }
        func store(_ entry: CacheEntry, for key: String) throws { try fail("store") }
        func remove(_ key: String) throws -> Bool { try fail("remove") }
        func keys(prefix: String) throws -> [String] { try fail("keys") }
    }

    private let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""v""#]

    private func client(_ engine: any CacheBackend, _ headers: HTTPFields? = nil) -> CachedClient {
        CachedClient(headers: headers ?? fresh) { $0.cacheBackend = engine }
    }

    @Test(arguments: [false, true])
    func `responses are kept by the engine, and found by another manager`(isShared: Bool) async throws {
        let shelf = Shelf(isShared: isShared)
        let client = client(shelf)
        let first = try await client.call(.http).response()
        let second = try await client.call(.http).response()
        let other = self.client(shelf)
        let third = try await other.call(.http).response()

        #expect([first, second, third].map(\.model) == [1, 1, 1])
        #expect([first, second, third].map(\.source.isCache) == [false, true, true])
        #expect(shelf.contents.count == 1)
        #expect(shelf.contents.values.first?.body == Data("1".utf8))
        #expect(other.requests.isEmpty)
    }

    @Test
    func `a shared engine is asked each time, and another one only until the memory knows`() async throws {
        for isShared in [true, false] {
            let shelf = Shelf(isShared: isShared)
            let client = client(shelf)
            _ = try await client.call(.http).send()
            shelf.drop()

            #expect(try await client.call(.http).send() == (isShared ? 2 : 1))
        }
    }

    @Test
    func `confirming, changing, invalidating and removing work as on a file`() async throws {
        let shelf = Shelf()
        let client = client(shelf)
        let cache = client.manager.cache
        _ = try await client.call(.http.storing(for: .seconds(5))).cacheTags("session").send()
        client.wall.advance(by: 6)
        let confirmed = try await client.call(.http.storing(for: .seconds(5))).response()
        try await cache.update(client.call(.http)) { $0 += 40 }
        let changed = try await cache.read(client.call(.http))?.model
        let invalidated = try await cache.invalidate(.tag("session"))
        let again = try await cache.invalidate(.path("/v1/number"))
        let listed = try await cache.entries()
        let removed = try await cache.remove(.tag("session"))

        #expect(confirmed.source == .revalidatedCache)
        #expect(confirmed.cache.storing == .updated)
        #expect(changed == 41)
        #expect((invalidated, again) == (1, 0))
        #expect(listed.map(\.isInvalidated) == [true])
        #expect(listed.first?.tags == ["session"])
        #expect(removed == 1)
        #expect(shelf.contents.isEmpty)
        #expect(try await client.call(.http).response().cache.outcome == .forwarded(.absent))
        #expect(try await cache.remove(client.call(.http)))
        #expect(try await cache.storage.statistics().entryCount == 0)
    }

    @Test
    func `an engine that fails at every call fails no call, and each failure is an event`() async throws {
        let broken = Broken()
        let client = client(broken)
        let failures = Recorder<StoreError>()
        let observation = client.manager.observe { event in
            if case .cacheFailed(let error) = event.kind { failures.record(error) }
        }
        let policies: [CachePolicy] = [
            .http, .elseNetwork(), .reload, .thenNetwork, .staleWhileRevalidate(), .networkElseCache(), .revalidate,
            .http.keepingModels(),
        ]
        for (number, policy) in policies.enumerated() {
            let response = try await client.call(policy).response()
            #expect(response.model == number + 1)
            #expect(response.cache.storing == .left(.failed))
        }
        _ = try await client.manager.request(Void.self).post().endpoint("/number").invalidates(.all).send()
        await #expect(throws: RestClientError.self) { try await client.call(.cacheOnly()).send() }

        #expect(Set(broken.calls.elements) == ["read", "keys"])
        #expect(failures.elements.allSatisfy { $0.code == .engineFailed && $0.underlying is Broken.Failure })
        #expect(failures.count >= policies.count)
        await #expect(throws: StoreError.self) { try await client.manager.cache.remove(.all) }
        await #expect(throws: StoreError.self) { try await client.manager.cache.entries() }
        withExtendedLifetime(observation) {}
    }

    @Test
    func `a response in memory only does not reach the engine`() async throws {
        let shelf = Shelf()
        let client = client(shelf)
        let stored = try await client.call(.http.inMemory()).response()

        #expect(stored.cache.isInMemory)
        #expect(try await client.call(.http).response().source.isCache)
        #expect(shelf.contents.isEmpty)
    }

    @Test
    func `an entry that the engine damaged is a miss, and is replaced`() async throws {
        let shelf = Shelf(isShared: true)
        let client = client(shelf)
        _ = try await client.call(.http).send()
        shelf.damage()

        #expect(try await client.call(.http).send() == 2)
        #expect(try await client.call(.http).response().source.isCache)
    }

    @Test
    func `users are kept apart, and a directory keeps the secret that finds them again`() async throws {
        let (shelf, directory) = (Shelf(), try TemporaryDirectory())
        func client(in directory: TemporaryDirectory?) throws -> CachedClient {
            let client = self.client(shelf)
            if let directory {
                try client.manager.persist(in: directory.url)
            }
            return client
        }
        func kim(_ client: CachedClient) -> RequestNode<Int> { client.call(.http).header(.authorization, "Bearer kim") }
        let first = try client(in: directory)
        _ = try await kim(first).send()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)

        #expect(names.contains("response-cache.key"))
        #expect(!names.contains("response-cache.sqlite"))
        #expect(try await first.call(.http).response().source == .network)
        #expect(try await kim(client(in: directory)).response().source.isCache)
        #expect(try await kim(client(in: nil)).response().source == .network)
    }

    @Test
    func `writes of one key follow one another, so that no newer response is lost to a mark`() async throws {
        let shelf = Shelf(isShared: true)
        let cache = ExpiringCache(backend: shelf)
        try await cache.store(CacheEntry(body: Data([0])), for: "key")
        await withTaskGroup { group in
            for number in 1...50 {
                group.addTask { try? await cache.store(CacheEntry(body: Data([UInt8(number)])), for: "key") }
                group.addTask {
                    _ = try? await cache.update("key") { info in
                        info.metadata.append(1)
                        return true
                    }
                }
            }
        }
        try await cache.store(CacheEntry(body: Data([99])), for: "key")
        let change = try await cache.update("key") { info in
            info.metadata = Data([7])
            return true
        }
        let entry = try await cache.read("key").entry

        #expect(change == .changed)
        #expect((entry?.body, entry?.metadata) == (Data([99]), Data([7])))
    }

    @Test
    func `what needs an engine at once says so`() throws {
        let cache = ExpiringCache(backend: Shelf(isShared: true))

        let error = #expect(throws: StoreError.self) { try cache.readNow("key") }
        #expect(error?.code == .engineFailed)
        #expect(error?.description.contains("asynchronous") == true)
    }

    @Test
    func `the contract can be checked`() async {
        #expect(await Shelf().contractViolations() == [])
        #expect(await Shelf(isLax: true).contractViolations().contains("keys are listed by their prefix"))
        #expect(await Broken().contractViolations().count == 8)
    }
}
