// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// The bytes of the cache's files while they are in use.
@Suite(.timeLimit(.minutes(5)))
final class StoredBytesTests {
    private static let words = "the b0dy of the response"
    private static let body = String(repeating: "\(words); ", count: 400)
    private static let secrets = ["t0ken", "c00kie", "k3yinurl", "p4ssword", "s3ssion"]

    private let directory: URL

    init() {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("bytes-\(UUID().uuidString)")
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    private func client(_ codec: StorageCodec = .identity) throws -> StubbedClient {
        let transport = StubTransport { request in
            request.url.contains("/forbidden")
                ? .text("never st0red", headers: [.cacheControl: "no-store", .contentLanguage: "f0rbidden"])
                : .text(
                    Self.body,
                    headers: [.cacheControl: "max-age=60", .contentLanguage: "h3ader", .setCookie: "session=s3ssion"]
                )
        }
        let client = StubbedClient(transport) { $0.cache.codec = codec }
        try client.manager.persist(in: directory)
        return client
    }

    private func node(
        _ client: StubbedClient,
        _ path: PathTemplate = "/orders/of/kim?api_key=k3yinurl"
    ) -> RequestNode<String> {
        client.manager.request(String.self).dogma(.raw).endpoint(path).cache()
            .header(.authorization, "Basic t0ken").header(.cookie, "id=c00kie")
    }

    /// All bytes of the cache's files; there must be a log of what is not yet in the database itself.
    private func bytes() throws -> Data {
        let log = directory.appendingPathComponent("response-cache.sqlite-wal")
        #expect(try !Data(contentsOf: log).isEmpty)
        return try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .reduce(into: Data()) { bytes, name in
                bytes += try Data(contentsOf: directory.appendingPathComponent(name))
            }
    }

    private func isIn(_ bytes: Data, _ text: String) -> Bool {
        bytes.firstRange(of: Data(text.utf8)) != nil
    }

    @Test
    func `without a codec bodies are stored as they are`() async throws {
        let client = try client()
        _ = try await node(client).send()
        let bytes = try bytes()

        #expect(isIn(bytes, Self.words))
        for secret in Self.secrets { #expect(!isIn(bytes, secret), "\(secret) is in a file") }
    }

    @Test
    func `a compressed body takes less room`() async throws {
        let client = try client(.gzip)
        _ = try await node(client).send()
        #expect(try await node(client).response().source.isCache)
        let answer = try #require(try await client.manager.cache.storage.entries().first)

        #expect(answer.byteCount < Self.body.utf8.count / 2)
        #expect(!isIn(try bytes(), Self.words))
    }

    @Test(arguments: [true, false])
    func `a sealed cache shows neither bodies nor fields, and opens with its key only`(isCompressed: Bool) async throws
    {
        let key = SealingKey.generate()
        func codec(_ key: SealingKey) -> StorageCodec { isCompressed ? .gzipSealed(key) : .sealed(key) }
        let client = try client(codec(key))
        _ = try await node(client).send()
        let bytes = try bytes()
        for text in ["b0dy", "h3ader", "max-age", "/orders/of/kim"] + Self.secrets {
            #expect(!isIn(bytes, text), "\(text) is in a file")
        }
        // Another manager of the same key, which has nothing in memory.
        let second = try self.client(codec(key))
        let response = try await node(second).response()
        #expect(response.model == Self.body)
        #expect(response.headers[.contentLanguage] == "h3ader")
        #expect(response.headers[.setCookie] == "session=s3ssion")
        #expect(second.requests.isEmpty)
        let stranger = try self.client(codec(.generate()))
        #expect(try await node(stranger).response().source == .network)
    }

    @Test
    func `what must not be stored never gets to the disk, also not on its way there`() async throws {
        let client = try client()
        // There is a log, of something else.
        _ = try await node(client).send()
        let response = try await node(client, "/forbidden").response()
        #expect(response.cache.storing == .left(.serverForbids))
        let bytes = try bytes()

        #expect(isIn(bytes, Self.words))
        for text in ["never st0red", "f0rbidden", "/forbidden"] { #expect(!isIn(bytes, text), "\(text) is in a file") }
    }

    @Test
    func `no credential is in a key or a row, wherever the request carries it`() async throws {
        let client = try client()
        let plain = client.manager.request(String.self).dogma(.raw).cache()
        _ = try await plain.endpoint("/b").bearer("t0ken").send()
        _ = try await plain.endpoint("/c").query(["password": "p4ssword", "access_token": "t0ken"]).send()
        _ = try await plain.endpoint("/d").header(.cookie, "id=c00kie").header(.proxyAuthorization, "t0ken").send()
        _ = try await plain.endpoint("/e?sig=1").cachePartition("k3yinurl").send()
        #expect(try await client.manager.cache.entries().count == 4)
        let bytes = try bytes()

        for secret in Self.secrets { #expect(!isIn(bytes, secret), "\(secret) is in a file") }
    }
}
