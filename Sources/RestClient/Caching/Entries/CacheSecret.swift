// SPDX-License-Identifier: MIT

import Crypto
import RestEssentials
import SharedStore
import Synchronization

/// The secret of a response cache, which is used to hash credentials in its keys and to seal them in its rows.
///
/// It is in a separate file beside the cache (0600). The cache alone, in a backup or a bug report, reveals no session,
/// and passwords cannot be tested against its keys.
final class CacheSecret: Sendable {
    private struct Keys {
        let digest: SymmetricKey
        let sealing: SymmetricKey

        init(_ bytes: Data) {
            let key = SymmetricKey(data: bytes)
            digest = Self.derived(from: key, for: "digest")
            sealing = Self.derived(from: key, for: "sealing")
        }

        private static func derived(from key: SymmetricKey, for use: String) -> SymmetricKey {
            let info = Data("RestClient cache \(use)".utf8)
            return HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: info, outputByteCount: 32)
        }
    }

    private let bytes: @Sendable () -> Data
    /// The keys, derived on first use: that takes a seventh of the time in which a manager is created.
    private let derived = Mutex<Keys?>(nil)

    /// Creates a secret of 32 random bytes, which are evaluated once, on first use.
    init(bytes: @autoclosure @escaping @Sendable () -> Data) {
        self.bytes = bytes
    }

    static func random() -> CacheSecret {
        CacheSecret(bytes: SecretFile.randomBytes())
    }

    static func kept(in directory: URL) throws(StoreError) -> CacheSecret {
        let bytes = try SecretFile.bytes(at: directory.appendingPathComponent("response-cache.key"))
        return CacheSecret(bytes: bytes)
    }

    /// Returns a digest that differs for different values, and from which the value cannot be guessed.
    func digest(_ text: String) -> String {
        Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: keys.digest).prefix(16))
    }

    func sealed(_ data: Data, for key: String) throws -> Data {
        let box = try AES.GCM.seal(data, using: keys.sealing, authenticating: Data(key.utf8))
        return Data(box.nonce) + box.ciphertext + box.tag
    }

    /// Opens bytes that were sealed for a row; returns `nil` if they were sealed with another secret, altered or moved.
    func opened(_ data: Data, for key: String) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: data) else {
            return nil
        }
        return try? AES.GCM.open(box, using: keys.sealing, authenticating: Data(key.utf8))
    }

    private var keys: Keys {
        derived.withLock { derived in
            let keys = derived ?? Keys(bytes())
            derived = keys
            return keys
        }
    }
}
