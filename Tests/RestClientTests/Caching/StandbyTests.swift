// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Testing

@testable import RestClient

/// The data that outlives a manager in its directory.
@Suite
final class StandbyTests {
    private let directory: URL
    private let wall = WallClock()

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("standby-\(UUID().uuidString)")
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// A client as a new process would make it.
    private func client(_ answer: RawResponse) throws -> StubbedClient {
        let wall = wall
        let client = StubbedClient(StubTransport(answering: [answer])) { $0.now = { wall.now } }
        try client.manager.persist(in: directory)
        return client
    }

    private func node(_ client: StubbedClient, _ policy: CachePolicy = .elseNetwork()) -> RequestNode<Int> {
        client.manager.request(Int.self).endpoint("/a").query(["q": "x y", "p": 1]).bearer("t").cache(policy)
    }

    @Test
    func `a response is found by the next manager of the directory`() async throws {
        _ = try await node(client(.text("1"))).send()
        wall.advance(by: 60)
        let next = try client(.text("2"))
        let response = try await node(next).response()
        #expect(response.model == 1)
        #expect(response.source == .cache(age: .seconds(60)))
        #expect(next.requests.isEmpty)
    }

    @Test
    func `a validator outlives the manager together with its body`() async throws {
        _ = try await node(client(.text("1", headers: [.eTag: #""v1""#]))).send()
        wall.advance(by: 60)
        let next = try client(.status(.notModified))
        let response = try await node(next, .elseNetwork(maxAge: .seconds(10))).response()
        #expect(response.model == 1)
        #expect(response.source == .revalidatedCache)
        #expect(next.requests.first?.headers[.ifNoneMatch] == #""v1""#)
    }

    @Test
    func `shared data set before are written into the directory`() throws {
        let user = SharedKey<String>("user")
        let first = StubbedClient().manager
        try first.sharedData.set("kim", for: user)
        try first.persist(in: directory)
        #expect(first.directory == directory.standardizedFileURL)

        let second = StubbedClient().manager
        try second.persist(in: directory)
        #expect(try second.sharedData.value(for: user) == "kim")
    }

    @Test
    func `the same directory again is nothing new, another one is an error`() throws {
        let manager = StubbedClient().manager
        try manager.persist(in: directory)
        try manager.persist(in: directory)
        #expect(throws: StoreError.self) { try manager.persist(in: directory.appendingPathComponent("other")) }
        #expect(manager.directory == directory.standardizedFileURL)
    }

    @Test
    func `a directory that is a file is an error, and the manager goes on in memory`() async throws {
        try Data("a file".utf8).write(to: directory)
        let client = StubbedClient(answering: .text("1"))
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        _ = try await node.send()
        #expect(throws: StoreError.self) { try client.manager.persist(in: directory) }
        #expect(client.manager.directory == nil)
        #expect(try await node.response().source.isCache)
        #expect(try Data(contentsOf: directory) == Data("a file".utf8))
    }

    @Test
    func `a garbage file of shared data is an error, stays as it is, and the manager goes on in memory`() async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appendingPathComponent("shared-data.sqlite")
        let garbage = Data(repeating: 0x5A, count: 8_192)
        try garbage.write(to: file)
        let client = StubbedClient(answering: .text("1"))
        #expect(throws: StoreError.self) { try client.manager.persist(in: directory) }
        #expect(client.manager.directory == nil)
        #expect(try Data(contentsOf: file) == garbage)
        #expect(try await client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork()).send() == 1)
    }

    @Test
    func `a garbage cache is begun anew`() async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(repeating: 0x5A, count: 8_192).write(to: directory.appendingPathComponent("response-cache.sqlite"))
        let client = try client(.text("1"))
        #expect(try await node(client).send() == 1)
        #expect(try await node(client).response().source.isCache)
    }
}
