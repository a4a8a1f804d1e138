// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

@Suite struct SealedCodecTests {
    let context = CodecContext(name: "key")
    let secret = Data("a secret that must not be seen".utf8)

    @Test(arguments: [CodecChoice.sealed, .gzipSealed])
    func `nothing of the value is seen and no two seals are alike`(_ choice: CodecChoice) throws {
        let one = try choice.codec.encode(secret, context: context)
        let other = try choice.codec.encode(secret, context: context)

        #expect(one.range(of: Data("secret".utf8)) == nil)
        #expect(one != other)
    }

    @Test(arguments: [CodecChoice.sealed, .gzipSealed])
    func `a value moved to another key or under another header is refused`(_ choice: CodecChoice) throws {
        let sealed = try choice.codec.encode(secret, context: CodecContext(name: "ab", header: Data("c".utf8)))

        for context in [
            CodecContext(name: "a", header: Data("bc".utf8)), CodecContext(name: "ab"), CodecContext(name: "x"),
        ] {
            let error = #expect(throws: StoreError.self) { try choice.codec.decode(sealed, context: context) }
            #expect(error?.code == .tampered)
        }
    }

    @Test
    func `a wrong key is distinguished from a forgery`() throws {
        let key = SealingKey.generate()
        let sealed = try StorageCodec.sealed(key).encode(secret, context: context)

        let wrong = #expect(throws: StoreError.self) {
            try StorageCodec.sealed(.generate()).decode(sealed, context: context)
        }
        #expect(wrong?.code == .wrongKey)
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1
            let forged = #expect(throws: StoreError.self) {
                try StorageCodec.sealed(key).decode(altered, context: context)
            }
            // The last bytes name the key.
            #expect(forged?.code == (index < sealed.count - 8 ? .tampered : .wrongKey))
            #expect(forged?.key == "key")
        }
    }

    @Test
    func `a value that another implementation sealed is opened`() throws {
        // Made by Python's cryptography: HKDF, AES-GCM, and the parts of the additional data with their lengths.
        let key = try SealingKey(bytes: Data((0..<32).map { UInt8($0) }))
        let sealed = Data(hex: "000102030405060708090a0b2f67ba77aacccfbc6e2aedd6ad0b2d6b1acc5a6b30cdd63c1c60374de5")
        let context = CodecContext(name: "key", header: Data("header".utf8))

        #expect(try StorageCodec.sealed(key).decode(sealed, context: context) == Data("hello".utf8))
    }

    @Test
    func `previous keys open but do not seal`() throws {
        let (old, new) = (SealingKey.generate(), SealingKey.generate())
        let sealed = try StorageCodec.sealed(old).encode(secret, context: context)
        let codec = StorageCodec.sealed(new, previous: [.generate(), old])

        #expect(try codec.decode(sealed, context: context) == secret)
        #expect(!codec.isCurrent(sealed))
        let again = try codec.encode(secret, context: context)
        #expect(codec.isCurrent(again))
        #expect(throws: StoreError.self) { try StorageCodec.sealed(old).decode(again, context: context) }
    }

    @Test(arguments: [0, 1, 15, 17, 31, 33, 64])
    func `a key of another length is refused`(_ count: Int) {
        let error = #expect(throws: StoreError.self) { try SealingKey(bytes: Data(count: count)) }

        #expect(error?.code == .invalidKeyMaterial)
    }

    @Test(arguments: [16, 24, 32])
    func `the same bytes make the same key`(_ count: Int) throws {
        let bytes = Data((0..<count).map { UInt8($0) })
        let sealed = try StorageCodec.sealed(SealingKey(bytes: bytes)).encode(secret, context: context)

        #expect(try StorageCodec.sealed(SealingKey(bytes: bytes)).decode(sealed, context: context) == secret)
        #expect(try SealingKey(bytes: bytes).withBytes { $0 } == bytes)
    }

    @Test
    func `a provider is asked once, when first needed, and again after it failed`() throws {
        struct Locked: Error {}
        let calls = Recorder<Int>()
        let key = SealingKey {
            calls.record(1)
            if calls.all.count == 1 { throw Locked() }
            return Data(count: 32)
        }
        let codec = StorageCodec.sealed(key)
        #expect(calls.all.isEmpty)

        let error = #expect(throws: StoreError.self) { try codec.encode(secret, context: context) }
        for _ in 0..<3 { _ = try codec.encode(secret, context: context) }

        #expect(error?.code == .invalidKeyMaterial)
        #expect(error?.underlying is Locked)
        #expect(calls.all.count == 2)
    }

    @Test
    func `a key is never printed`() throws {
        let key = try SealingKey(bytes: Data(repeating: 0xAB, count: 32))
        let codec = StorageCodec.gzipSealed(key, previous: [key])
        var dumped = ""
        dump(key, to: &dumped)

        for text in ["\(key)", String(reflecting: key), dumped, "\([key])", "\(codec)", String(reflecting: codec)] {
            #expect(!text.contains("171"))
            #expect(!text.lowercased().contains("abab"))
            #expect(text.contains("masked") || text == dumped)
        }
        var dumpedCodec = ""
        dump(codec, to: &dumpedCodec)
        #expect(!dumpedCodec.contains("171") && !dumpedCodec.lowercased().contains("abab"))
    }
}
