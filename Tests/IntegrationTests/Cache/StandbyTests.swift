// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import SharedStore
import TestSupport
import Testing

/// Managers whose stores lie in a directory, and directories that will not do.
@Suite(.timeLimit(.minutes(5)))
struct StandbyTests {
    private struct Session: Codable, Sendable, Equatable {
        var user: String
        var visits: Int
    }

    private static let key = SharedKey<Session>("session")
    private static let garbage = Data(repeating: 0x5A, count: 8_192)

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test
    func `the directory is made, and readable by its owner only`() throws {
        let home = directory.path("a/b")
        let manager = try RestClientManager.connected()
        try manager.persist(in: home)
        try manager.sharedData.set(Session(user: "kim", visits: 1), for: Self.key)
        #expect(manager.directory?.path == home.path)
        let mode = try FileManager.default.attributesOfItem(atPath: home.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        for name in ["shared-data.sqlite", "response-cache.sqlite"] {
            let file = home.appendingPathComponent(name).path
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test
    func `shared values pass from one manager to another, and outlive both`() throws {
        let value = Session(user: "kim", visits: 2)
        do {
            let first = try RestClientManager.connected()
            // Earlier values are moved too.
            try first.sharedData.set(value, for: Self.key)
            try first.persist(in: directory.url)
            let second = try RestClientManager.connected()
            try second.persist(in: directory.url)
            #expect(try second.sharedData.value(for: Self.key) == value)
            try second.sharedData.set(Session(user: "lee", visits: 3), for: Self.key)
            first.sharedData.catchUp()
            #expect(try first.sharedData.value(for: Self.key) == Session(user: "lee", visits: 3))
        }
        let third = try RestClientManager.connected()
        try third.persist(in: directory.url)
        #expect(try third.sharedData.value(for: Self.key) == Session(user: "lee", visits: 3))
    }

    @Test
    func `a manager hears of what another one sets`() async throws {
        let first = try RestClientManager.connected()
        let second = try RestClientManager.connected()
        try first.persist(in: directory.url)
        try second.persist(in: directory.url)
        let log = EventRecorder(second)
        try first.sharedData.set(Session(user: "kim", visits: 1), for: Self.key)
        try await log.wait(for: .sharedDataUpdated)
        try first.sharedData.remove(Self.key)
        try await log.wait(for: .sharedDataRemoved)
        #expect(try second.sharedData.value(for: Self.key) == nil)
    }

    @Test
    func `sealed values need their key, in every manager`() throws {
        let secret = SharedKey<Session>("secret", codec: .gzipSealed(.generate()))
        let stranger = SharedKey<Session>("secret", codec: .gzipSealed(.generate()))
        let first = try RestClientManager.connected()
        try first.persist(in: directory.url)
        try first.sharedData.set(Session(user: "kim", visits: 7), for: secret)
        let second = try RestClientManager.connected()
        try second.persist(in: directory.url)
        #expect(try second.sharedData.value(for: secret) == Session(user: "kim", visits: 7))
        let error = #expect(throws: StoreError.self) { try second.sharedData.value(for: stranger) }
        #expect(error?.code == .wrongKey)
    }

    @Test
    func `the same directory again is fine, another one is not`() throws {
        let manager = try RestClientManager.connected()
        try manager.persist(in: directory.path("one"))
        try manager.persist(in: directory.path("one"))
        let error = #expect(throws: StoreError.self) { try manager.persist(in: directory.path("two")) }
        #expect(error?.code == .alreadyAttached)
        #expect(manager.directory?.path == directory.path("one").path)
        #expect(
            !FileManager.default.fileExists(
                atPath: directory.path("two").appendingPathComponent("shared-data.sqlite").path
            )
        )
    }

    @Test
    func `a file in the directory's place is an error`() throws {
        let place = directory.path("file")
        try Data("precious".utf8).write(to: place)
        let manager = try RestClientManager.connected()
        try manager.sharedData.set(Session(user: "kim", visits: 1), for: Self.key)
        let error = #expect(throws: StoreError.self) { try manager.persist(in: place) }
        #expect(error?.code == .notADirectory)
        #expect(error?.description.contains(place.lastPathComponent) == true)
        #expect(try Data(contentsOf: place) == Data("precious".utf8))
        // The manager continues as before.
        #expect(manager.directory == nil)
        #expect(try manager.sharedData.value(for: Self.key) == Session(user: "kim", visits: 1))
    }

    @Test
    func `a directory below a file cannot be made`() throws {
        let place = directory.path("file")
        try Data("precious".utf8).write(to: place)
        let manager = try RestClientManager.connected()
        let error = #expect(throws: StoreError.self) {
            try manager.persist(in: place.appendingPathComponent("below"))
        }
        #expect([.cannotCreateDirectory, .notADirectory].contains(error?.code))
        #expect(manager.directory == nil)
    }

    @Test
    func `shared data that are no database are an error, and are left untouched`() async throws {
        let file = directory.path("shared-data.sqlite")
        try Self.garbage.write(to: file)
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("ok") }
            try client.manager.sharedData.set(Session(user: "kim", visits: 1), for: Self.key)
            let error = #expect(throws: StoreError.self) { try client.manager.persist(in: directory.url) }
            #expect(error?.code == .notADatabase)
            #expect(try Data(contentsOf: file) == Self.garbage)
            // Requests and values live on in memory.
            #expect(client.manager.directory == nil)
            #expect(try client.manager.sharedData.value(for: Self.key) == Session(user: "kim", visits: 1))
            let node = client.request(String.self, .get, "/").cache(.elseNetwork())
            _ = try await node.send()
            let hit = try await node.response()
            #expect(hit.source.isCache)
            // And the way is free once the file is out of it.
            try FileManager.default.removeItem(at: file)
            try client.manager.persist(in: directory.url)
            #expect(client.manager.directory?.path == directory.url.path)
        }
    }

    @Test
    func `a response cache that is no database is set aside and begun anew`() async throws {
        let file = directory.path("response-cache.sqlite")
        try Self.garbage.write(to: file)
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("ok") }
            try client.manager.persist(in: directory.url)
            let node = client.request(String.self, .get, "/").cache(.elseNetwork())
            _ = try await node.send()
            let hit = try await node.response()
            #expect(hit.source.isCache)
            let aside = directory.names.filter { $0.contains("damaged") }
            #expect(aside.count >= 1)
            #expect(try aside.contains { try Data(contentsOf: directory.path($0)) == Self.garbage })
        }
    }

    @Test
    func `responses stored before are forgotten, and shared values are kept`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("ok") }
            let node = client.request(String.self, .get, "/").cache(.elseNetwork())
            _ = try await node.send()
            try client.manager.sharedData.set(Session(user: "kim", visits: 1), for: Self.key)
            try client.manager.persist(in: directory.url)
            let response = try await node.response()
            #expect(response.source == .network)
            #expect(try client.manager.sharedData.value(for: Self.key) == Session(user: "kim", visits: 1))
        }
    }
}
