// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// Responses that are stored in memory only.
@Suite(.timeLimit(.minutes(5)))
struct InMemoryTests {
    private let directory: TemporaryDirectory
    private let fresh: HTTPFields = [.cacheControl: "max-age=60", .contentLanguage: "h3ader"]

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A manager on the directory, whose server counts; a later one is the program after its next start.
    private func client(
        _ headers: HTTPFields? = nil,
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) throws -> StubbedClient {
        let (numbers, fields) = (Counter(), headers ?? fresh)
        let client = StubbedClient(
            StubTransport { request in
                if let tag = fields[.eTag], request.headers[.ifNoneMatch] == tag {
                    return .status(.notModified, headers: fields)
                }
                return .text("b0dy \(numbers.next()) of \(request.headers[.acceptLanguage] ?? "all")", headers: fields)
            },
            configure: configure
        )
        try client.manager.persist(in: directory.url)
        return client
    }

    private func node(_ client: StubbedClient, _ policy: CachePolicy = .http.inMemory()) -> RequestNode<String> {
        client.manager.request(String.self).endpoint("/a").cache(policy)
    }

    private func isInFile(_ text: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            .contains { name in
                try Data(contentsOf: directory.url.appendingPathComponent(name)).firstRange(of: Data(text.utf8)) != nil
            }
    }

    @Test(arguments: [CachePolicy.http, .elseNetwork(), .elseNetwork().storing(for: .seconds(60)), .reload])
    func `a response in memory is found until the program ends, and never reaches the file`(
        policy: CachePolicy
    ) async throws {
        let client = try client()
        let stored = try await node(client, policy.inMemory()).response()
        let found = try await node(client, .cacheOnly()).response()

        #expect(stored.cache.storing == .stored)
        #expect(stored.cache.description.hasSuffix("; stored in memory"))
        #expect(stored.cache.explain().hasSuffix("The response was stored in memory only."))
        #expect(found.model == stored.model)
        #expect(found.cache.isInMemory)
        #expect(found.cache.explain().hasSuffix("It is stored in memory only."))
        #expect(try await client.manager.cache.storage.entries().isEmpty)
        #expect(try !isInFile("b0dy"))
        #expect(try !isInFile("h3ader"))
        let next = try self.client()
        await #expect(throws: RestClientError.self) { try await node(next, .cacheOnly()).send() }
        // The same without the verb, which shows that the search finds what is there.
        _ = try await node(next, policy).send()
        #expect(try isInFile("b0dy"))
    }

    @Test
    func `a response in the file is replaced by one in memory, and the reverse`() async throws {
        let client = try client()
        _ = try await node(client, .reload).send()
        _ = try await node(client, .reload.inMemory()).send()
        let inMemory = try await node(client, .cacheOnly()).response()
        let entries = try await client.manager.cache.entries()
        _ = try await node(client, .reload).send()
        let inFile = try await node(client, .cacheOnly()).response()

        #expect(inMemory.model == "b0dy 2 of all")
        #expect(entries.map(\.isInMemory) == [true])
        #expect(inFile.model == "b0dy 3 of all")
        #expect(!inFile.cache.isInMemory)
        #expect(try await client.manager.cache.entries().map(\.isInMemory) == [false])
        #expect(try await node(try self.client(), .cacheOnly()).send() == "b0dy 3 of all")
    }

    @Test
    func `what one call stored in memory stays there when another one confirms it`() async throws {
        let client = try client([.cacheControl: "max-age=60", .eTag: #""v""#, .contentLanguage: "h3ader"])
        _ = try await node(client).send()
        let confirmed = try await node(client, .revalidate).response()
        let updated = try await client.manager.cache.update(node(client, .http)) { $0 += " b0dy changed" }

        #expect(confirmed.cache.outcome == .confirmed(.requested))
        #expect(confirmed.cache.description.hasSuffix("; updated in memory"))
        #expect(updated == "b0dy 1 of all b0dy changed")
        #expect(try await client.manager.cache.read(node(client, .http))?.model == updated)
        #expect(try await client.manager.cache.entries().map(\.isInMemory) == [true])
        #expect(try !isInFile("b0dy"))
        #expect(try !isInFile("h3ader"))
    }

    @Test
    func `a response in the file moves to memory when a call with the policy confirms it`() async throws {
        let client = try client([.cacheControl: "max-age=60", .eTag: #""v""#])
        _ = try await node(client, .http).send()
        let confirmed = try await node(client, .revalidate.inMemory()).response()

        #expect(confirmed.model == "b0dy 1 of all")
        #expect(confirmed.cache.isInMemory)
        #expect(try await client.manager.cache.entries().map(\.isInMemory) == [true])
        #expect(try await node(client, .cacheOnly()).send() == "b0dy 1 of all")
        #expect(client.requests.count == 2)
    }

    @Test
    func `variants are in memory with the fields that select them`() async throws {
        let client = try client([.cacheControl: "max-age=60", .vary: "Accept-Encoding, X-Kind"])
        let kind = try #require(HTTPField.Name("X-Kind"))
        func node(_ value: String, _ policy: CachePolicy) -> RequestNode<String> {
            self.node(client, policy).header(kind, value)
        }
        _ = try await node("a", .http).send()
        _ = try await node("b", .http.inMemory()).send()
        _ = try await node("a", .reload.inMemory()).send()

        #expect(try await node("a", .cacheOnly()).send() == "b0dy 3 of all")
        #expect(try await node("b", .cacheOnly()).send() == "b0dy 2 of all")
        #expect(try await client.manager.cache.entries().map(\.isInMemory) == [true, true])
        #expect(try await client.manager.cache.remove(node("a", .http)))
        #expect(try await client.manager.cache.entries().isEmpty)
    }

    @Test
    func `the methods of the cache read, store, invalidate and remove it`() async throws {
        let client = try client()
        let cache = client.manager.cache
        try await cache.store("b0dy made", for: node(client), timeToLive: .seconds(60))
        let made = try await node(client).send()
        let invalidated = try await cache.invalidate(.path("/v1/a"))
        let after = try await cache.entries()
        let fetched = try await node(client).response()
        let removed = try await cache.remove(.all)
        _ = try await node(client).cacheTags("session").send()
        let tagged = try await cache.remove(.tag("session"))
        _ = try await node(client).send()
        _ = try await client.manager.request(Void.self).post().endpoint("/a").send()
        let refetched = try await node(client).response()

        #expect(made == "b0dy made")
        #expect(invalidated == 1)
        #expect(after.map(\.isInvalidated) == [true])
        #expect(fetched.cache.outcome == .forwarded(.invalidated))
        #expect((removed, tagged) == (1, 1))
        #expect(refetched.cache.outcome == .forwarded(.invalidated))
        #expect(try await cache.remove(node(client)))
        #expect(try await cache.entries().isEmpty)
        #expect(try !isInFile("b0dy"))
    }

    @Test
    func `all of them fit into the limit of the memory tier, and each into an eighth`() async throws {
        let client = try client { $0.cache.memoryByteLimit = 8_000 }
        for number in 0..<40 {
            let node = client.manager.request(String.self).endpoint("/a").query("n", number)
            _ = try await node.cache(.http.inMemory()).send()
        }
        let entries = try await client.manager.cache.entries()
        let limited = try self.client { $0.cache.memoryByteLimit = 800 }
        let left = try await node(limited).response()

        #expect(!entries.isEmpty && entries.count < 40)
        #expect(entries.reduce(0) { $0 + $1.byteCount } <= 8_000)
        #expect(left.cache.storing == .left(.failed))
    }

    @Test
    func `the policy may come from any level, and is explained`() async throws {
        let client = try client()
        client.manager.apis[APIAlias<String>(rawValue: "a")] = API(.get, "/a").cache(.http.inMemory())
        let response = try await client.manager.request(APIAlias<String>(rawValue: "a")).response()

        #expect(response.cache.isInMemory)
        #expect(response.explainOptions().contains { $0.description.contains("http, in memory") })
        #expect(try await client.manager.cache.entries().map(\.isInMemory) == [true])
    }

    @Test
    func `a policy that needs memory is a fault where there is none`() async throws {
        func issues(_ limit: Int, _ policy: CachePolicy) async throws -> [LintIssue] {
            let client = StubbedClient { $0.cache.memoryByteLimit = limit }
            client.manager.servers["store"] = Server("https://api.example.com/v1").cache(policy)
            client.manager.apis[APIAlias<String>(rawValue: "a")] = API(.get, "/a").cache(policy)
            return await client.manager.lint()
        }

        #expect(try await issues(0, .http).isEmpty)
        #expect(try await issues(1_000, .http.inMemory()).isEmpty)
        for policy in [CachePolicy.http.inMemory(), .http.keepingModels()] {
            let found = try await issues(0, policy)
            #expect(found.map(\.kind) == [.ineffectiveOption, .ineffectiveOption])
            #expect(found.map(\.message).allSatisfy { $0.contains("memoryByteLimit") })
        }
    }

    @Test
    func `a call that must leave no trace shares no request with one that stores in the file`() async throws {
        let gate = Gate()
        let client = CachedClient(headers: fresh, gate: gate)
        try client.manager.persist(in: directory.url)
        async let first = client.call(.http).send()
        try await gate.waitForWaiters(count: 1)
        async let second = client.call(.http.inMemory()).send()
        try await gate.waitForWaiters(count: 2)
        gate.open()

        #expect(try await Set([first, second]) == [1, 2])
    }

    @Test
    func `an equal call recalls it, until it is stored in the file`() async throws {
        let client = try client()
        for _ in 0..<3 { _ = try await node(client).send() }
        #expect(try await client.manager.recalls(node(client)))
        let recalled = try await node(client).response()
        _ = try await node(client, .reload).send()

        #expect(recalled.cache.isInMemory)
        #expect(try await !client.manager.recalls(node(client)))
        #expect(try await node(client).send() == "b0dy 2 of all")
    }
}
