// SPDX-License-Identifier: MIT

import Crypto
public import RestEssentials
import Synchronization

/// A secret key for the sealed codecs.
///
/// The key is never written to disk and never printed. Copies share the same material.
///
/// ```swift
/// let key = SealingKey.generate()
/// let fromKeychain = SealingKey { try keychain.bytes(for: "store") }
/// ```
public struct SealingKey: Sendable {
    /// A key whose bytes have been obtained.
    final class Ready: Sendable {
        let key: SymmetricKey
        /// Identifies the key that sealed a value, without revealing anything about the key.
        let identifier: Data
        let name: String
        /// The beginning of what is authenticated with each value that the key seals.
        let binding: [UInt8]

        init(key: SymmetricKey, identifier: Data) {
            self.key = key
            self.identifier = identifier
            name = identifier.map { String($0, radix: 16) }.joined(separator: ".")
            binding = Sealing.binding(of: identifier)
        }
    }

    /// The key bytes, obtained when they are first needed.
    private final class Material: Sendable {
        private let known = AtomicLazyReference<Ready>()
        private let provide: @Sendable () throws -> Data

        init(_ provide: @escaping @Sendable () throws -> Data) {
            self.provide = provide
        }

        func ready() throws(StoreError) -> Ready {
            if let ready = known.load() { return ready }
            // Several threads may ask the provider at once; the first result counts.
            let bytes = try StoreError.wrapping(.invalidKeyMaterial, "the key provider failed") { try provide() }
            let ready = try SealingKey.prepare(bytes)
            return known.storeIfNil(ready)
        }
    }

    static let identifierLength = 8

    private let material: Material

    /// Creates a key whose material is requested when it is first needed, and then kept in memory.
    ///
    /// - Parameter provider: Returns 16, 24 or 32 random bytes; the same ones each time.
    public init(provider: @escaping @Sendable () throws -> Data) {
        material = Material(provider)
    }

    /// Creates a key from its bytes.
    ///
    /// - Parameter bytes: 16, 24 or 32 random bytes. For a passphrase use
    ///   ``passphrase(_:salt:derivation:)``, which is slow to guess.
    /// - Throws: ``StoreError`` with `invalidKeyMaterial` for another length.
    public init(bytes: Data) throws(StoreError) {
        material = Material { bytes }
        _ = try material.ready()
    }

    /// Creates a new random key of 32 bytes.
    ///
    /// - Returns: A key that exists nowhere else. Store its bytes in a safe place, see ``withBytes(_:)``.
    public static func generate() -> SealingKey {
        let bytes = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
        return SealingKey { bytes }
    }

    /// Passes the bytes of the key to a closure, to be kept in a safe place.
    ///
    /// - Parameter body: Receives the bytes.
    /// - Returns: The result of the closure.
    /// - Throws: Errors of the provider and of the closure.
    public func withBytes<Value>(_ body: (Data) throws -> Value) throws -> Value {
        unsafe try body(try material.ready().key.withUnsafeBytes { unsafe Data($0) })
    }

    var ready: Ready {
        get throws(StoreError) { try material.ready() }
    }

    private static func prepare(_ bytes: Data) throws(StoreError) -> Ready {
        guard [16, 24, 32].contains(bytes.count) else {
            throw StoreError(.invalidKeyMaterial, "a sealing key has 16, 24 or 32 bytes, not \(bytes.count)")
        }
        let key = SymmetricKey(data: bytes)
        let identifier = HKDF<SHA256>
            .deriveKey(
                inputKeyMaterial: key,
                info: Data("SharedStore sealing key identifier".utf8),
                outputByteCount: identifierLength
            )
        return Ready(key: key, identifier: unsafe identifier.withUnsafeBytes { unsafe Data($0) })
    }
}

extension SealingKey: CustomStringConvertible, CustomReflectable {
    /// A fixed text that does not contain the key.
    public var description: String { "SealingKey(masked)" }

    /// An empty mirror, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
