// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

/// Someone who can write to the file cannot make a sealed value live longer than it was meant to.
@Suite
struct SealedExpiryTests {
    private static let key = SealingKey.generate()

    let folder: TemporaryFolder
    let clock = ManualDate()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func key(_ codec: StorageCodec = .sealed(key), guardedBy file: URL? = nil) throws -> SharedKey<String> {
        let rollbackGuard = try file.map { try RollbackGuard.file($0, key: Self.key) }
        return SharedKey("session", codec: codec, timeToLive: .seconds(60), rollbackGuard: rollbackGuard)
    }

    /// Moves the expiry in the column of a row, with its checksum, as someone with access to the file can.
    private func postpone(_ data: SharedData) throws {
        let row = try #require(
            try data.withBacking { backing throws(StoreError) in try backing.rowNow("session", in: .shared) }
        )
        var attributes = row.attributes
        attributes.expiresAt = clock.now.addingTimeInterval(1_000_000)
        let step = RowStep.put(key: "session", value: row.value, attributes: attributes, condition: .any)
        _ = try SQLiteBacking(file: folder.file().path, kind: .shared).commitNow([step], in: .shared) { _ in }
    }

    private func open() throws -> SharedData {
        try DataEngine.file.make(in: folder) { clock.now }
    }

    @Test(arguments: CodecChoice.allCases, [false, true])
    func `a value that has expired stays expired`(choice: CodecChoice, isGuarded: Bool) throws {
        guard !isGuarded || choice == .sealed else {
            return
        }
        let key = try key(choice.codec, guardedBy: isGuarded ? folder.file("guard") : nil)
        let data = try open()
        try data.set("old", for: key)
        clock.advance(by: 61)
        #expect(try data.value(for: key) == nil)
        try postpone(data)

        let other = try open()
        #expect(try other.value(for: key) == nil)
        #expect(try other.transaction { try $0.value(for: key) } == nil)
        #expect(try other.compareAndSet(key, expected: nil, new: "new"))
        #expect(try other.value(for: key) == "new")
    }

    @Test
    func `the expiry stays sealed when the value is written again`() async throws {
        let former = SealingKey.generate()
        try open().set("old", for: key(.sealed(former)))
        let data = try open()
        try postpone(data)
        #expect(try await data.reseal(with: .sealed(Self.key, previous: [former])).rewritten == 1)
        clock.advance(by: 61)

        #expect(try open().value(for: key()) == nil)
    }

    @Test
    func `an envelope of an earlier release is read, with the expiry of its row`() throws {
        let key = try key()
        let data = try open()
        let codec = key.codecs.current.identifier
        let header = try ValueEnvelope.header(serialization: .json, schemaVersion: 1, codec: codec)
        let sealed = try key.codecs.encode(Data(#""old""#.utf8), context: CodecContext(name: key.name, header: header))
        let attributes = RowAttributes(storedAt: clock.now, expiresAt: clock.now.addingTimeInterval(60))
        let step = RowStep.put(key: key.name, value: header + sealed, attributes: attributes, condition: .any)
        _ = try data.withBacking { backing throws(StoreError) in
            try backing.commitNow([step], in: .shared) { _ in }
        }

        #expect(try data.value(for: key) == "old")
        clock.advance(by: 61)
        #expect(try data.value(for: key) == nil)
    }

    // MARK: - Entries of caches

    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func cache(_ backing: any Backing, _ codec: StorageCodec) -> ExpiringCache {
        var configuration = ExpiringCache.Configuration()
        configuration.codec = codec
        return ExpiringCache(backing: backing, configuration: configuration)
    }

    private func replaceDates(in backing: any Backing) async throws {
        var row = try #require(try await backing.row("k", in: .cache))
        row.attributes.storedAt = Self.start.addingTimeInterval(5_000)
        row.attributes.expiresAt = nil
        let step = RowStep.put(key: "k", value: row.value, attributes: row.attributes, condition: .any)
        _ = try await backing.commit([step], in: .cache)
    }

    @Test
    func `the dates of a sealed entry cannot be moved forward`() async throws {
        let backing = MemoryBacking()
        let entry = CacheEntry(
            body: Data([1]),
            metadata: Data([2]),
            storedAt: Self.start,
            expiresAt: Self.start.addingTimeInterval(60)
        )
        try await cache(backing, .sealed(Self.key)).store(entry, for: "k")
        try await replaceDates(in: backing)

        let forged = cache(backing, .sealed(Self.key))
        #expect(try await forged.read("k", now: Self.start.addingTimeInterval(5_001)) == .stale(entry))
        #expect(try await forged.entries().map(\.storedAt) == [Self.start])
        let change = try await forged.update("k") { info in
            info.expiresAt = Self.start.addingTimeInterval(70)
            return true
        }
        #expect(change == .changed)
        try await replaceDates(in: backing)
        let read = try await cache(backing, .sealed(Self.key)).read("k", now: Self.start)
        #expect(read.entry?.expiresAt == Self.start.addingTimeInterval(70))
        #expect(read.entry?.metadata == Data([2]))
    }

    @Test
    func `a sealed entry of an earlier release is read`() async throws {
        let backing = MemoryBacking()
        let codecs = CodecSet(current: .sealed(Self.key))
        func sealed(_ data: Data, _ part: String) throws -> Data {
            try codecs.encode(data, context: CodecContext(name: "k", header: Data(part.utf8)))
        }
        let name = Data(codecs.current.identifier.utf8)
        let attributes = RowAttributes(
            metadata: try Data([1, UInt8(name.count)]) + name + sealed(Data([2]), "metadata"),
            storedAt: Self.start,
            expiresAt: Self.start.addingTimeInterval(60)
        )
        let step = RowStep.put(
            key: "k",
            value: try sealed(Data([1]), "body"),
            attributes: attributes,
            condition: .any
        )
        _ = try await backing.commit([step], in: .cache)

        let entry = try await cache(backing, .sealed(Self.key)).read("k", now: Self.start).entry
        #expect(entry?.body == Data([1]))
        #expect(entry?.metadata == Data([2]))
        #expect(entry?.expiresAt == Self.start.addingTimeInterval(60))
    }
}
