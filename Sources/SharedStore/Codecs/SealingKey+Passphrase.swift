// SPDX-License-Identifier: MIT

import Crypto
public import RestEssentials
import _CryptoExtras

extension SealingKey {
    /// A method to derive a key from a passphrase; it is slow, so that guessing is slow too.
    public struct Derivation: Sendable, Hashable {
        private enum Function: Hashable {
            case scrypt(cost: Int, blockSize: Int, parallelism: Int)
            case pbkdf2(rounds: Int)
        }

        private let function: Function

        /// Scrypt with 64 MiB of memory (N = 2¹⁶, r = 8, p = 2), about 0.3 s; the default.
        ///
        /// Its memory use makes guessing on graphics cards expensive. The parameters have the strength that OWASP names
        /// as the minimum for scrypt.
        public static let scrypt = Derivation(function: .scrypt(cost: 1 << 16, blockSize: 8, parallelism: 2))

        /// PBKDF2 with HMAC-SHA-256 and 600,000 rounds, for use where scrypt is not permitted.
        public static let pbkdf2 = Derivation(function: .pbkdf2(rounds: 600_000))

        /// Scrypt with parameters of your own.
        ///
        /// - Parameters:
        ///   - cost: The factor N, a power of two, from 2¹⁴ to 2²²; it takes 128 · r · N bytes of memory.
        ///   - blockSize: The factor r, from 1 to 32. Defaults to 8.
        ///   - parallelism: The factor p, from 1 to 16. Defaults to 1.
        /// - Returns: The derivation.
        /// - Throws: ``StoreError`` with `invalidKeyMaterial` for parameters out of range.
        public static func scrypt(
            cost: Int,
            blockSize: Int = 8,
            parallelism: Int = 1
        ) throws(StoreError) -> Derivation {
            guard (1 << 14...1 << 22).contains(cost), cost.nonzeroBitCount == 1, (1...32).contains(blockSize),
                (1...16).contains(parallelism)
            else {
                throw StoreError(.invalidKeyMaterial, "the parameters of scrypt are out of range")
            }
            return Derivation(function: .scrypt(cost: cost, blockSize: blockSize, parallelism: parallelism))
        }

        /// PBKDF2 with HMAC-SHA-256 and a number of rounds of your own.
        ///
        /// - Parameter rounds: The rounds, at least 210,000.
        /// - Returns: The derivation.
        /// - Throws: ``StoreError`` with `invalidKeyMaterial` for fewer rounds.
        public static func pbkdf2(rounds: Int) throws(StoreError) -> Derivation {
            guard (210_000...Int(Int32.max)).contains(rounds) else {
                throw StoreError(.invalidKeyMaterial, "PBKDF2 needs at least 210000 rounds, not \(rounds)")
            }
            return Derivation(function: .pbkdf2(rounds: rounds))
        }

        fileprivate func key(_ passphrase: Data, _ salt: Data) throws -> SymmetricKey {
            switch function {
            case .scrypt(let cost, let blockSize, let parallelism):
                try KDF.Scrypt.deriveKey(
                    from: passphrase,
                    salt: salt,
                    outputByteCount: 32,
                    rounds: cost,
                    blockSize: blockSize,
                    parallelism: parallelism
                )
            case .pbkdf2(let rounds):
                try KDF.Insecure.PBKDF2.deriveKey(
                    from: passphrase,
                    salt: salt,
                    using: .sha256,
                    outputByteCount: 32,
                    rounds: rounds
                )
            }
        }
    }

    /// Derives a key from a passphrase.
    ///
    /// The derivation is slow on purpose. It runs when the key is first needed, on the thread that needs it, and its
    /// result is kept in memory: create one key and use it for all values.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase; its UTF-8 in composed form (NFC) is not enforced, so type it the same way.
    ///   - salt: At least 16 bytes that are random but need not be secret, such as ``randomSalt()``. Store them with
    ///     the file: without them the key cannot be derived again.
    ///   - derivation: The method. Defaults to ``Derivation/scrypt``.
    /// - Returns: The key.
    /// - Throws: ``StoreError`` with `invalidKeyMaterial` for an empty passphrase or a short salt.
    public static func passphrase(
        _ passphrase: String,
        salt: Data,
        derivation: Derivation = .scrypt
    ) throws(StoreError) -> SealingKey {
        guard !passphrase.isEmpty else {
            throw StoreError(.invalidKeyMaterial, "the passphrase is empty")
        }
        guard salt.count >= 16 else {
            throw StoreError(.invalidKeyMaterial, "a salt has at least 16 bytes, not \(salt.count)")
        }
        return SealingKey {
            try unsafe derivation.key(Data(passphrase.utf8), salt).withUnsafeBytes { unsafe Data($0) }
        }
    }

    /// Returns 32 random bytes for ``passphrase(_:salt:derivation:)``.
    ///
    /// - Returns: The salt, different each time.
    public static func randomSalt() -> Data {
        unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
    }
}
