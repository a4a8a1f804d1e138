// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// Models that are kept beside the bytes of their responses.
@Suite(.timeLimit(.minutes(5)))
struct KeptModelTests {
    /// Counts what it decodes.
    private struct Counting: Dogma {
        let decoded = Recorder<String>()
        var factor = 1

        var acceptedContentType: String? { "text/plain" }

        func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
            EncodedBody(Data("\(model)".utf8), contentType: "text/plain")
        }

        func decode<Model: Decodable>(
            _ type: Model.Type,
            from response: RawResponse,
            for request: DogmaRequest
        ) throws -> Model {
            decoded.record("\(type)")
            let number = (Int(String(decoding: response.body, as: UTF8.self)) ?? 0) * factor
            guard
                let model = [number as Any, Int64(number), Int?(number) as Any].lazy.compactMap({ $0 as? Model }).first
            else {
                throw StoreError(.decodingFailed, "no number")
            }
            return model
        }
    }

    private let dogma = Counting()
    private let policy = CachePolicy.http.keepingModels()
    private let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""v""#]

    private func client(
        _ headers: HTTPFields? = nil,
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) -> CachedClient {
        let client = CachedClient(headers: headers ?? fresh, configure: configure)
        client.manager.dogmas["counting"] = dogma
        client.manager.defaultDogma = "counting"
        return client
    }

    /// Sends a call five times; returns how often its model was decoded.
    private func decodings(_ node: RequestNode<Int>) async throws -> Int {
        for _ in 0..<5 {
            _ = try await node.send()
        }
        return dogma.decoded.count
    }

    @Test(arguments: [false, true], [false, true])
    func `a hit gets the model that an equal call decoded`(isInFile: Bool, isInMemory: Bool) async throws {
        let directory = try TemporaryDirectory()
        let client = client()
        if isInFile {
            try client.manager.persist(in: directory.url)
        }
        let policy = isInMemory ? policy.inMemory() : policy
        let before = try await decodings(client.call(policy))
        client.wall.advance(by: 5)
        let response = try await client.call(policy).response()

        // The server's response, the hit that is memoized, and the first that is recalled.
        #expect(before == 3)
        #expect(dogma.decoded.count == 3)
        #expect(response.model == 1)
        #expect(response.source == .cache(age: .seconds(5)))
        #expect(response.body == Data("1".utf8))
        #expect(client.requests.count == 1)
    }

    @Test
    func `without the verb each hit decodes`() async throws {
        #expect(try await decodings(client().call(.http)) == 5)
    }

    @Test
    func `without a memory tier each hit decodes`() async throws {
        #expect(try await decodings(client { $0.cache.memoryByteLimit = 0 }.call(policy)) == 5)
    }

    @Test
    func `a change of the row ends the model`() async throws {
        let client = client()
        _ = try await decodings(client.call(policy))
        try await client.manager.cache.update(client.call(policy)) { $0 += 41 }
        let updated = try await decodings(client.call(policy))
        let changed = try await client.call(policy).send()
        client.wall.advance(by: 61)
        client.answer(.text("7", headers: fresh))
        let refetched = try await client.call(policy).send()
        try await client.manager.cache.invalidate(.all)
        client.answer(.text("8", headers: fresh))

        #expect(changed == 42)
        #expect(updated > 3)
        #expect(refetched == 7)
        #expect(try await client.call(policy).send() == 8)
    }

    @Test
    func `another model type, another dogma and another policy decode on their own`() async throws {
        let client = client()
        var tenfold = dogma
        tenfold.factor = 10
        client.manager.dogmas["tenfold"] = tenfold
        func node<Model: Decodable & Sendable>(_: Model.Type) -> RequestNode<Model> {
            client.manager.request(Model.self).endpoint("/number").cache(policy)
        }
        for _ in 0..<4 {
            #expect(try await node(Int.self).send() == 1)
            #expect(try await node(Int64.self).send() == 1)
            #expect(try await node(Int?.self).send() == 1)
        }
        for _ in 0..<4 {
            // Its key differs too, so that the server is asked.
            #expect(try await node(Int.self).dogma("tenfold").send() == 20)
        }
        let before = dogma.decoded.count
        for _ in 0..<3 {
            _ = try await node(Int.self).cache(.elseNetwork()).send()
        }

        #expect(dogma.decoded.count == before + 3)
    }

    @Test
    func `a dogma of the same name that replaces another one decodes`() async throws {
        let client = client()
        _ = try await decodings(client.call(policy))
        var tenfold = dogma
        tenfold.factor = 10
        client.manager.dogmas["counting"] = tenfold

        for _ in 0..<4 {
            #expect(try await client.call(policy).send() == 10)
        }
    }

    @Test
    func `closures of the user's own decode each time`() async throws {
        let client = client()
        for number in 0..<5 {
            let node = RequestNode<Int>(Int.self) { _ in number }
            #expect(try await client.manager.run(node.endpoint("/number").cache(policy)) == number)
        }
    }

    @Test
    func `models are dropped with their bytes at the limit of the tier`() async throws {
        let client = client { $0.cache.memoryByteLimit = 8_000 }
        for _ in 0..<4 {
            for page in 0..<40 {
                _ = try await client.call(policy).query("page", page).send()
            }
        }
        let bytes = try await client.manager.cache.storage.statistics().memoryByteCount

        #expect(bytes > 0 && bytes <= 8_000)
        #expect(dogma.decoded.count == 160)
    }

    @Test
    func `the policy says in its options that it keeps models`() async throws {
        let response = try await client().call(policy.inMemory()).response()

        #expect(response.explainOptions().contains { $0.description.contains("http, in memory, keeping models") })
    }
}
