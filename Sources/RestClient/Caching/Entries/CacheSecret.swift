// SPDX-License-Identifier: MIT

import Crypto
import RestEssentials
import SharedStore

/// The secret of a response cache, which is used to hash credentials in its keys and to seal them in its rows.
///
/// It is in a separate file beside the cache (0600). The cache alone, in a backup or a bug report, reveals no session,
/// and passwords cannot be tested against its keys.
struct CacheSecret: Sendable {
    private let digestKey: SymmetricKey
    private let sealingKey: SymmetricKey

    /// Creates a secret from 32 random bytes.
    init(bytes: Data) {
        let key = SymmetricKey(data: bytes)
        digestKey = Self.derived(from: key, for: "digest")
        sealingKey = Self.derived(from: key, for: "sealing")
    }

    /// Returns a secret for the lifetime of the process.
    static func random() -> CacheSecret {
        var generator = SystemRandomNumberGenerator()
        return CacheSecret(bytes: Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }

    /// Returns the secret of the cache in a directory, and creates it if necessary.
    static func kept(in directory: URL) throws(StoreError) -> CacheSecret {
        CacheSecret(bytes: try SecretFile.bytes(at: directory.appendingPathComponent("response-cache.key")))
    }

    /// Returns a digest that differs for different values, and from which the value cannot be guessed.
    func digest(_ text: String) -> String {
        Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: digestKey).prefix(16))
    }

    /// Seals bytes for one row.
    func sealed(_ data: Data, for key: String) throws -> Data {
        let box = try AES.GCM.seal(data, using: sealingKey, authenticating: Data(key.utf8))
        return Data(box.nonce) + box.ciphertext + box.tag
    }

    /// Opens bytes that were sealed for a row; returns `nil` if they were sealed with another secret, altered or moved.
    func opened(_ data: Data, for key: String) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: data) else {
            return nil
        }
        return try? AES.GCM.open(box, using: sealingKey, authenticating: Data(key.utf8))
    }

    private static func derived(from key: SymmetricKey, for use: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data("RestClient cache \(use)".utf8), outputByteCount: 32)
    }
}
