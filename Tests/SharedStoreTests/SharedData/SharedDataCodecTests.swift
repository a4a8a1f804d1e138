// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

/// Changing codecs, keys and schemas of values that are stored already.
@Suite(.timeLimit(.minutes(5)))
struct SharedDataCodecTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open() throws -> SharedData {
        var configuration = SharedData.Configuration()
        configuration.durability = .processDeath
        return try SharedData(file: folder.file(), configuration: configuration)
    }

    /// The row as it is stored.
    private func stored(_ name: String) throws -> Data? {
        let backing = try SQLiteBacking(file: folder.file().path, kind: .shared)
        return try backing.rowNow(name, in: .shared)?.value
    }

    @Test(
        "seed bug 56: a value written with any codec is read after the codec was changed",
        arguments: CodecChoice.allCases,
        CodecChoice.allCases
    )
    func changedCodecReadsOldValues(_ old: CodecChoice, _ new: CodecChoice) throws {
        let before = SharedKey<Session>("session", codec: old.codec)
        let after = SharedKey<Session>("session", codec: new.codec, previousCodecs: [old.codec])
        try open().set(Session.sample, for: before)

        let data = try open()
        #expect(try data.value(for: after) == Session.sample)
        data.close()

        // Closing has finished the rewriting that the read started.
        #expect(try #require(try stored("session")).dropFirst(9).starts(with: Data(new.codec.identifier.utf8)))
        #expect(try open().value(for: SharedKey<Session>("session", codec: new.codec)) == Session.sample)
    }

    @Test(arguments: [CodecChoice.identity, .gzip])
    func `a plain value is not taken for a sealed one unless it is listed`(_ plain: CodecChoice) throws {
        try open().set(1, for: SharedKey<Int>("count", codec: plain.codec))

        let error = #expect(throws: StoreError.self) {
            try open().value(for: SharedKey<Int>("count", codec: .sealed(CodecChoice.key)))
        }
        #expect(error?.code == .unknownCodec)
    }

    @Test
    func `a key is rotated by reading`() throws {
        let (old, new) = (SealingKey.generate(), SealingKey.generate())
        try open().set(1, for: SharedKey<Int>("count", codec: .sealed(old)))

        let data = try open()
        #expect(try data.value(for: SharedKey<Int>("count", codec: .sealed(new, previous: [old]))) == 1)
        data.close()

        #expect(try open().value(for: SharedKey<Int>("count", codec: .sealed(new))) == 1)
        let error = #expect(throws: StoreError.self) {
            try open().value(for: SharedKey<Int>("count", codec: .sealed(old)))
        }
        #expect(error?.code == .wrongKey)
    }

    @Test
    func `a key is rotated in the background without being read`() async throws {
        let (old, new, other) = (SealingKey.generate(), SealingKey.generate(), SealingKey.generate())
        let data = try open()
        for number in 0..<600 { try data.set(number, for: SharedKey<Int>("old\(number)", codec: .sealed(old))) }
        try data.set(1, for: SharedKey<Int>("new", codec: .sealed(new)))
        try data.set(1, for: SharedKey<Int>("other", codec: .sealed(other)))
        try data.set(1, for: SharedKey<Int>("plain"))
        let received = Recorder<String>()
        let token = data.observeAll { received.record($0.name) }

        let result = try await data.reseal(with: .sealed(new, previous: [old]))

        #expect(
            result
                == {
                    var expected = SharedData.Resealing()
                    expected.rewritten = 600
                    expected.current = 1
                    expected.unreadable = ["other"]
                    return expected
                }()
        )
        #expect(try open().value(for: SharedKey<Int>("old77", codec: .sealed(new))) == 77)
        #expect(try open().value(for: SharedKey<Int>("plain")) == 1)
        #expect(received.all == [])
        token.cancel()
        let again = try await data.reseal(with: .sealed(new, previous: [old]))
        #expect(again.rewritten == 0)
        #expect(again.current == 601)
    }

    @Test(arguments: [CodecChoice.sealed, .gzipSealed])
    func `swapped rows are detected`(_ choice: CodecChoice) throws {
        let (one, other) = (SharedKey<Int>("one", codec: choice.codec), SharedKey<Int>("other", codec: choice.codec))
        let data = try open()
        try data.set(1, for: one)
        try data.set(2, for: other)
        data.close()
        let backing = try SQLiteBacking(file: folder.file().path, kind: .shared)
        let rows = try (backing.rowNow("one", in: .shared), backing.rowNow("other", in: .shared))
        let (first, second) = (try #require(rows.0), try #require(rows.1))
        let steps: [RowStep] = [
            .put(key: "one", value: second.value, attributes: first.attributes, condition: .any),
            .put(key: "other", value: first.value, attributes: second.attributes, condition: .any),
        ]
        _ = try backing.commitNow(steps, in: .shared) { _ in }
        backing.close()

        let error = #expect(throws: StoreError.self) { try open().value(for: one) }
        #expect(error?.code == .tampered)
    }

    @Test
    func `a wrong key is an error, also for a value in memory`() throws {
        let data = SharedData()
        try data.set(1, for: SharedKey<Int>("count", codec: .sealed(.generate())))

        let error = #expect(throws: StoreError.self) {
            try data.value(for: SharedKey<Int>("count", codec: .sealed(.generate())))
        }
        #expect(error?.code == .wrongKey)
    }

    // MARK: - Overwriting

    @Test(arguments: DataEngine.allCases)
    func `a value sealed with another key is not overwritten in silence`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let key = SharedKey<Int>("count", codec: .sealed(mine))
        let stranger = SharedKey<Int>("count", codec: .sealed(other))
        try data.set(1, for: key)

        let set = #expect(throws: StoreError.self) { try data.set(2, for: stranger) }
        let transaction = #expect(throws: StoreError.self) { try data.transaction { try $0.set(2, for: stranger) } }
        let plain = #expect(throws: StoreError.self) { try data.set(2, for: SharedKey<Int>("count")) }

        #expect(set?.code == .wrongKey)
        #expect(set?.reason.contains("replacingUnreadable") == true)
        #expect(transaction?.code == .wrongKey)
        #expect(plain?.code == .unknownCodec)
        #expect(try data.value(for: key) == 1)

        // A key that can open it may; so may `replacingUnreadable`, and a write after a removal.
        try data.set(3, for: SharedKey<Int>("count", codec: .sealed(other, previous: [mine])))
        #expect(try data.value(for: stranger) == 3)
        try data.set(4, for: key, replacingUnreadable: true)
        #expect(try data.value(for: key) == 4)
        try data.transaction { try $0.set(5, for: stranger, replacingUnreadable: true) }
        #expect(try data.value(for: stranger) == 5)
        try data.remove(key)
        try data.set(6, for: key)
        #expect(try data.value(for: key) == 6)
    }

    @Test
    func `another process's value under another key is not overwritten in silence`() throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let one = try open()
        let two = try open()
        try one.set(1, for: SharedKey<Int>("count", codec: .sealed(mine)))
        try two.set(2, for: SharedKey<Int>("count", codec: .sealed(other)), replacingUnreadable: true)

        // Memory may still hold the first value.
        let error = #expect(throws: StoreError.self) {
            try one.set(3, for: SharedKey<Int>("count", codec: .sealed(mine)))
        }
        let transaction = #expect(throws: StoreError.self) {
            try one.transaction { try $0.set(3, for: SharedKey<Int>("count", codec: .sealed(mine))) }
        }
        #expect(error?.code == .wrongKey)
        #expect(transaction?.code == .wrongKey)
        #expect(try two.value(for: SharedKey<Int>("count", codec: .sealed(other))) == 2)
    }

    @Test
    func `a transaction that memory misled reads the file`() throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let one = try open()
        let two = try open()
        try one.set(1, for: SharedKey<Int>("count", codec: .sealed(mine)))
        let attempts = Recorder<Int>()

        let error = #expect(throws: StoreError.self) {
            try one.transaction { transaction in
                attempts.record(1)
                try transaction.set(3, for: SharedKey<Int>("count", codec: .sealed(mine)))
                try two.set(2, for: SharedKey<Int>("count", codec: .sealed(other)), replacingUnreadable: true)
            }
        }

        #expect(error?.code == .wrongKey)
        #expect(attempts.all.count == 2)
        #expect(try two.value(for: SharedKey<Int>("count", codec: .sealed(other))) == 2)
    }

    @Test
    func `a key that read a value before another one resealed it does not overwrite it in silence`() throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let key = SharedKey<Int>("count", codec: .sealed(mine))
        let rotating = SharedKey<Int>("count", codec: .sealed(other, previous: [mine]))
        let former = try open()
        try former.set(1, for: key)
        former.close()
        let data = try open()
        // Another process that writes delays the resealing, which the first read starts.
        let process = try Connection(file: folder.file().path, mode: .readWrite, busyTimeout: .seconds(5))
        try process.execute("BEGIN IMMEDIATE")
        #expect(try data.value(for: rotating) == 1)
        #expect(try data.value(for: key) == 1)
        try process.execute("COMMIT")
        // It is written after the value was resealed.
        try data.set(0, for: SharedKey<Int>("later"))

        let read = #expect(throws: StoreError.self) { try data.value(for: key) }
        let set = #expect(throws: StoreError.self) { try data.set(2, for: key) }
        let transaction = #expect(throws: StoreError.self) { try data.transaction { try $0.set(2, for: key) } }

        #expect(read?.code == .wrongKey)
        #expect(set?.code == .wrongKey)
        #expect(transaction?.code == .wrongKey)
        #expect(try data.value(for: rotating) == 1)
        #expect(try open().value(for: SharedKey<Int>("count", codec: .sealed(other))) == 1)
    }

    @Test
    func `an expired value is overwritten, whichever key sealed it`() throws {
        let date = ManualDate()
        let data = try DataEngine.file.make(in: folder) { date.now }
        try data.set(1, for: SharedKey<Int>("count", codec: .sealed(.generate()), timeToLive: .seconds(10)))
        date.advance(by: 10)

        let key = SharedKey<Int>("count", codec: .sealed(.generate()))
        try data.set(2, for: key)
        #expect(try data.value(for: key) == 2)
    }

    @Test
    func `nothing secret lies in the files`() throws {
        let session = Session(user: "a very secret user", token: Data(), since: .now)
        let data = try open()
        try data.set(session, for: SharedKey<Session>("session", codec: .sealed(CodecChoice.key)))

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.count == 3)
        for name in names {
            let content = try Data(contentsOf: folder.file(name))
            #expect(content.range(of: Data("secret".utf8)) == nil)
        }
        data.close()
    }

    // MARK: - Schema versions

    @Test
    func `a value of an older schema is migrated and written back`() throws {
        try open().set(41, for: SharedKey<Int>("value", schemaVersion: 1))
        let key = SharedKey<String>("value", schemaVersion: 3) { bytes, version in
            #expect(version == 1)
            return "\(try JSONDecoder().decode(Int.self, from: bytes) + 1)"
        }

        let data = try open()
        #expect(try data.value(for: key) == "42")
        data.close()

        #expect(try open().value(for: SharedKey<String>("value", schemaVersion: 3)) == "42")
    }

    @Test
    func `a value without a way to this schema is an error`() throws {
        struct Unwilling: Error {}
        try open().set(1, for: SharedKey<Int>("value", schemaVersion: 2))
        let data = try open()

        let none = #expect(throws: StoreError.self) { try data.value(for: SharedKey<Int>("value", schemaVersion: 3)) }
        let older = #expect(throws: StoreError.self) { try data.value(for: SharedKey<Int>("value", schemaVersion: 1)) }
        let failing = #expect(throws: StoreError.self) {
            try data.value(for: SharedKey<Int>("value", schemaVersion: 3) { _, _ in throw Unwilling() })
        }

        #expect(none?.code == .migrationFailed)
        #expect(older?.code == .newerSchema)
        #expect(failing?.code == .migrationFailed)
        #expect(failing?.underlying is Unwilling)
    }

    @Test
    func `a user's own codec is used and its errors are kept`() throws {
        struct Odd: Error {}
        let reversed = StorageCodec(
            "test.reversed",
            encode: { data, context in
                if context.name == "odd" { throw Odd() }
                return Data(data.reversed())
            },
            decode: { data, _ in Data(data.reversed()) }
        )
        try open().set("abc", for: SharedKey<String>("text", codec: reversed))

        #expect(try open().value(for: SharedKey<String>("text", codec: reversed)) == "abc")
        #expect(try #require(try stored("text")).suffix(5) == Data("\"cba\"".utf8))
        let unknown = #expect(throws: StoreError.self) { try open().value(for: SharedKey<String>("text")) }
        #expect(unknown?.code == .unknownCodec)
        let failing = #expect(throws: StoreError.self) {
            try open().set("x", for: SharedKey<String>("odd", codec: reversed))
        }
        #expect(failing?.code == .encodingFailed)
        #expect(failing?.underlying is Odd)
    }
}
