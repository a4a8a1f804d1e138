// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PassphraseTests {
    let salt = Data((0..<16).map { UInt8($0) })

    @Test
    func `the same passphrase and salt make the same key`() throws {
        let derivation = try SealingKey.Derivation.scrypt(cost: 1 << 14)
        func bytes(_ passphrase: String, _ salt: Data) throws -> Data {
            try SealingKey.passphrase(passphrase, salt: salt, derivation: derivation).withBytes { $0 }
        }

        #expect(try bytes("correct horse", salt) == bytes("correct horse", salt))
        #expect(try bytes("correct horse", salt) != bytes("Correct horse", salt))
        #expect(try bytes("correct horse", salt) != bytes("correct horse", SealingKey.randomSalt()))
        #expect(try bytes("correct horse", salt).count == 32)
    }

    @Test
    func `PBKDF2 gives the published result`() throws {
        // RFC 7914, section 11, has too few rounds for this library; this vector was computed with another library.
        let key = try SealingKey.passphrase(
            "password",
            salt: Data("saltsaltsaltsalt".utf8),
            derivation: .pbkdf2(rounds: 210_000)
        )

        #expect(
            try key.withBytes { $0 } == Data(hex: "5214cca59a9d598320d1f1c377891aa3a3efd1d61bc016d032f3c936599cdd6c")
        )
    }

    @Test
    func `scrypt gives the published result`() throws {
        // RFC 7914, section 12, third vector: N = 16384, r = 8, p = 1; its salt is padded nowhere, so it is not usable
        // here, and this one was computed with another library.
        let key = try SealingKey.passphrase(
            "password",
            salt: Data("saltsaltsaltsalt".utf8),
            derivation: .scrypt(cost: 1 << 14)
        )

        #expect(
            try key.withBytes { $0 } == Data(hex: "18cffca65553358d89af9f87f93304516d12303d3fa42700d17800816ee2ee3c")
        )
    }

    @Test
    func `the default derivations work`() throws {
        for derivation in [SealingKey.Derivation.scrypt, .pbkdf2] {
            let key = try SealingKey.passphrase("passphrase", salt: salt, derivation: derivation)
            let sealed = try StorageCodec.sealed(key).encode(Data([1]), context: CodecContext(name: "k"))
            #expect(try StorageCodec.sealed(key).decode(sealed, context: CodecContext(name: "k")) == Data([1]))
            #expect("\(key)" == "SealingKey(masked)")
        }
    }

    @Test
    func `weak material is refused`() {
        let passphrase = #expect(throws: StoreError.self) { try SealingKey.passphrase("", salt: salt) }
        let short = #expect(throws: StoreError.self) { try SealingKey.passphrase("p", salt: Data(count: 15)) }

        #expect(passphrase?.code == .invalidKeyMaterial)
        #expect(short?.code == .invalidKeyMaterial)
    }

    @Test(arguments: [(1 << 13, 8, 1), ((1 << 14) + 1, 8, 1), (1 << 14, 0, 1), (1 << 14, 8, 17), (1 << 23, 8, 1)])
    func `scrypt's parameters keep to their ranges`(_ cost: Int, _ blockSize: Int, _ parallelism: Int) {
        let error = #expect(throws: StoreError.self) {
            try SealingKey.Derivation.scrypt(cost: cost, blockSize: blockSize, parallelism: parallelism)
        }

        #expect(error?.code == .invalidKeyMaterial)
    }

    @Test(arguments: [0, 209_999, Int.max])
    func `PBKDF2's rounds keep to their range`(_ rounds: Int) {
        let error = #expect(throws: StoreError.self) { try SealingKey.Derivation.pbkdf2(rounds: rounds) }

        #expect(error?.code == .invalidKeyMaterial)
    }
}
