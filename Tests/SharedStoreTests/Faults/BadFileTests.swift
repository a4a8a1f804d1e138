// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Files and folders that cannot be used: each gives its own error, and nothing stored is lost.
@Suite(.timeLimit(.minutes(5)))
struct BadFileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A kind of store.
    enum Store: CaseIterable, CustomTestStringConvertible {
        case cache
        case shared

        var testDescription: String { "\(self)" }

        func open(_ file: URL) throws(StoreError) {
            switch self {
            case .cache: _ = try ExpiringCache(file: file)
            case .shared: _ = try SharedData(file: file)
            }
        }
    }

    private func permissions(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
    }

    // MARK: - Folders

    @Test(arguments: Store.allCases)
    func `files are created for their owner alone, in folders of their own`(_ store: Store) throws {
        let file = folder.url.appending(path: "a/b/store.sqlite")
        try store.open(file)

        #expect(try permissions(file) == 0o600)
        #expect(try permissions(folder.url.appending(path: "a")) == 0o700)
        #expect(try permissions(folder.url.appending(path: "a/b")) == 0o700)
    }

    @Test(arguments: Store.allCases)
    func `companion files are for the owner alone too`(_ store: Store) async throws {
        let cache = try ExpiringCache(file: folder.file("cache.sqlite"))
        try await cache.store(CacheEntry(body: Data()), for: "key")

        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            #expect(try permissions(folder.file(name)) == 0o600, "\(name)")
        }
        cache.close()
    }

    @Test(arguments: Store.allCases, [true, false])
    func `a symbolic link in the place of the file is not followed`(_ store: Store, leadsSomewhere: Bool) throws {
        let victim = folder.file("victim")
        if leadsSomewhere {
            try Data().write(to: victim)
        }
        try FileManager.default.createSymbolicLink(at: folder.file("link.sqlite"), withDestinationURL: victim)

        let error = #expect(throws: StoreError.self) { try store.open(folder.file("link.sqlite")) }

        #expect(error?.code == .cannotOpen)
        #expect(error?.reason.contains("symbolic link") == true)
        #expect((try? Data(contentsOf: victim)) == (leadsSomewhere ? Data() : nil))
    }

    @Test
    func `symbolic links in the place of companion files are not followed`() async throws {
        for suffix in ["-wal", "-shm", "-journal"] {
            let victim = folder.file("victim\(suffix)")
            try Data("keep me".utf8).write(to: victim)
            try FileManager.default.createSymbolicLink(
                at: folder.file("store.sqlite\(suffix)"),
                withDestinationURL: victim
            )
        }

        if let cache = try? ExpiringCache(file: folder.file("store.sqlite")) {
            try? await cache.store(CacheEntry(body: Data(count: 100_000)), for: "key")
            cache.close()
        }

        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(try Data(contentsOf: folder.file("victim\(suffix)")) == Data("keep me".utf8), "\(suffix)")
        }
    }

    @Test(arguments: Store.allCases)
    func `a file in the place of a folder is an error that names it`(_ store: Store) throws {
        try Data("keep me".utf8).write(to: folder.file("file"))

        for path in ["file/store.sqlite", "file/deeper/store.sqlite"] {
            let error = #expect(throws: StoreError.self) { try store.open(folder.url.appending(path: path)) }
            #expect(error?.code == .notADirectory)
            #expect(error?.file?.contains("/file") == true)
        }
        #expect(try Data(contentsOf: folder.file("file")) == Data("keep me".utf8))
    }

    @Test(arguments: Store.allCases)
    func `a folder in the place of the file is an error`(_ store: Store) throws {
        try FileManager.default.createDirectory(at: folder.file(), withIntermediateDirectories: true)

        let error = #expect(throws: StoreError.self) { try store.open(folder.file()) }
        #expect(error?.code == .cannotOpen)
    }

    #if os(Linux)
    @Test(arguments: Store.allCases)
    func `a folder that cannot be created is an error`(_ store: Store) throws {
        let error = #expect(throws: StoreError.self) { try store.open(URL(filePath: "/proc/nowhere/store.sqlite")) }
        #expect(error?.code == .cannotCreateDirectory)
        #expect(error?.file == "/proc/nowhere")
    }
    #endif

    @Test(arguments: ["https://example.com/store.sqlite", "file:///tmp/a%00b.sqlite"])
    func `a URL that is not a file URL is an error`(_ text: String) throws {
        let url = try #require(URL(string: text))

        let error = #expect(throws: StoreError.self) { try SharedData(file: url) }
        #expect(error?.code == .cannotOpen)
    }

    // MARK: - Garbage

    static let garbage: [Data] = [
        Data("not a database".utf8),
        Data("SQLite format 3\0".utf8),
        Data("SQLite format 3\0".utf8) + Data(repeating: 0xAA, count: 5000),
        Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ $0 >> 7) }),
    ]

    @Test(arguments: garbage)
    func `garbage in the place of shared data is an error and stays as it is`(_ garbage: Data) throws {
        try garbage.write(to: folder.file())

        let error = #expect(throws: StoreError.self) { try SharedData(file: folder.file()) }

        #expect(error?.code == .notADatabase || error?.code == .corrupt)
        #expect(error?.file == folder.file().path)
        #expect(try Data(contentsOf: folder.file()) == garbage)
    }

    @Test(arguments: garbage)
    func `garbage in the place of a cache is set aside with an event`(_ garbage: Data) async throws {
        try garbage.write(to: folder.file())
        let events = Recorder<CacheEvent>()
        var configuration = ExpiringCache.Configuration()
        configuration.onEvent = { events.record($0) }

        let cache = try ExpiringCache(file: folder.file(), configuration: configuration)

        let event = try #require(cache.recovery)
        #expect(events.all.map(\.name) == [.rebuilt])
        #expect(event.name == .rebuilt)
        #expect(event.error?.code == .notADatabase || event.error?.code == .corrupt)
        #expect(try Data(contentsOf: URL(filePath: #require(event.setAsideFile))) == garbage)
        try await cache.store(CacheEntry(body: Data("new".utf8)), for: "key")
        #expect(try await cache.read("key").entry?.body == Data("new".utf8))
    }

    @Test(arguments: Store.allCases)
    func `an empty file is a new store`(_ store: Store) throws {
        try Data().write(to: folder.file())

        try store.open(folder.file())
    }

    // MARK: - Files of others

    @Test
    func `another program's database is set aside by a cache and refused by shared data`() throws {
        try foreignDatabase(application: 0x1234_5678, version: 1)

        let error = #expect(throws: StoreError.self) { try SharedData(file: folder.file()) }
        #expect(error?.code == .foreignDatabase)
        let cache = try ExpiringCache(file: folder.file())
        #expect(cache.recovery?.error?.code == .foreignDatabase)
    }

    @Test
    func `a store of another kind is never touched`() throws {
        try SharedData(file: folder.file("shared.sqlite")).set(1, for: .count)
        _ = try ExpiringCache(file: folder.file("cache.sqlite"))

        let cache = #expect(throws: StoreError.self) { try ExpiringCache(file: folder.file("shared.sqlite")) }
        let shared = #expect(throws: StoreError.self) { try SharedData(file: folder.file("cache.sqlite")) }

        #expect(cache?.code == .foreignDatabase)
        #expect(shared?.code == .foreignDatabase)
        #expect(try SharedData(file: folder.file("shared.sqlite")).value(for: .count) == 1)
    }

    @Test(arguments: Store.allCases)
    func `a newer schema is left alone`(_ store: Store) throws {
        try foreignDatabase(application: store == .cache ? 0x5353_7443 : 0x5353_7444, version: 2)
        let before = try Data(contentsOf: folder.file())

        let error = #expect(throws: StoreError.self) { try store.open(folder.file()) }

        #expect(error?.code == .newerSchema)
        #expect(error?.description.contains("Update this program") == true)
        #expect(try Data(contentsOf: folder.file()) == before)
    }

    /// Makes a database that this library did not make.
    private func foreignDatabase(application: Int, version: Int) throws {
        try RawDatabase.execute(
            folder.file(),
            "CREATE TABLE t (x)",
            "PRAGMA application_id = \(application)",
            "PRAGMA user_version = \(version)"
        )
    }
}
