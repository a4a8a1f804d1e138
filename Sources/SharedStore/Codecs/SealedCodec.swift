// SPDX-License-Identifier: MIT

import Crypto
public import RestEssentials

/// Encrypts and authenticates bytes with AES-GCM.
///
/// A value is bound to its key's name and its envelope. If it is moved to another row or altered, it is refused with
/// ``StoreError/Code-swift.struct/tampered``. Each value is stored with the identifier of the key that sealed it, so a
/// wrong key is told from a forgery. An older value of the same row that is put back is not detected.
///
/// Keys are rotated by making the new one current and listing the old ones as previous: old values stay readable and
/// are resealed with the new key when they are read.
public struct SealedCodec: StorageCodec {
    private static let nonceLength = 12
    private static let tagLength = 16

    private let key: SealingKey
    private let previous: [SealingKey]

    /// The identifier "sealed".
    public var identifier: String { "sealed" }

    /// True.
    public var isSealed: Bool { true }

    /// The identifier of the current key.
    public var variant: String {
        get throws { try key.identifierName }
    }

    /// Creates the codec; ``StorageCodec/sealed(_:previous:)`` is shorter.
    ///
    /// - Parameters:
    ///   - key: The key that seals.
    ///   - previous: Other keys, which may open what they sealed. Defaults to none.
    public init(_ key: SealingKey, previous: [SealingKey] = []) {
        self.key = key
        self.previous = previous
    }

    /// Seals the bytes: nonce, ciphertext, tag, key identifier.
    ///
    /// The identifier comes last, so that the rest need not be copied to make room before it.
    public func encode(_ data: Data, context: CodecContext) throws -> Data {
        let identifier = try key.identifier
        var output = try Self.seal(data, using: key.symmetricKey, Self.binding(identifier, context), context)
        output.append(identifier)
        return output
    }

    private static func seal(
        _ data: Data,
        using key: SymmetricKey,
        _ binding: [UInt8],
        _ context: CodecContext
    ) throws(StoreError) -> Data {
        do {
            guard let combined = try AES.GCM.seal(data, using: key, authenticating: binding).combined else {
                throw StoreError(.internalFailure, "the nonce has an unusual length", key: context.name)
            }
            return combined
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.encodingFailed, "the value cannot be sealed", key: context.name, underlying: error)
        }
    }

    /// Opens what was sealed with the current or a previous key.
    public func decode(_ data: Data, context: CodecContext) throws -> Data {
        let overhead = SealingKey.identifierLength + Self.nonceLength + Self.tagLength
        guard data.count >= overhead else {
            throw StoreError(.truncatedInput, "the sealed value is too short", key: context.name)
        }
        let identifier = Data(data.suffix(SealingKey.identifierLength))
        guard let key = try key(named: identifier) else {
            throw StoreError(
                .wrongKey,
                "the value was sealed with a key that is none of those given",
                key: context.name
            )
        }
        let symmetricKey = try key.symmetricKey
        do {
            let box = try AES.GCM.SealedBox(combined: data.dropLast(SealingKey.identifierLength))
            return try AES.GCM.open(box, using: symmetricKey, authenticating: Self.binding(identifier, context))
        } catch {
            throw StoreError(
                .tampered,
                "the sealed value was altered or moved from another place",
                key: context.name
            )
        }
    }

    /// Returns whether the bytes were sealed with the current key.
    public func isCurrent(_ data: Data) -> Bool {
        guard let identifier = try? key.identifier else {
            return true
        }
        return data.suffix(SealingKey.identifierLength) == identifier
    }

    private func key(named identifier: Data) throws(StoreError) -> SealingKey? {
        if try key.identifier == identifier { return key }
        for key in previous where try key.identifier == identifier { return key }
        return nil
    }

    /// Returns the additional authenticated data.
    ///
    /// Each part has its length in front, so that no two places look alike.
    private static func binding(_ identifier: Data, _ context: CodecContext) -> [UInt8] {
        let prefix = "SharedStore sealed 1"
        let name = context.name.utf8
        var binding: [UInt8] = []
        binding.reserveCapacity(prefix.utf8.count + 24 + identifier.count + name.count + context.header.count)
        binding.append(contentsOf: prefix.utf8)
        func append(count: Int) {
            unsafe withUnsafeBytes(of: UInt64(count).littleEndian) { unsafe binding.append(contentsOf: $0) }
        }
        append(count: identifier.count)
        binding.append(contentsOf: identifier)
        append(count: name.count)
        binding.append(contentsOf: name)
        append(count: context.header.count)
        binding.append(contentsOf: context.header)
        return binding
    }
}

extension StorageCodec where Self == SealedCodec {
    /// Encrypts and authenticates bytes with AES-GCM.
    ///
    /// - Parameters:
    ///   - key: The key that seals.
    ///   - previous: Other keys, which may open what they sealed. Defaults to none.
    /// - Returns: The codec.
    public static func sealed(_ key: SealingKey, previous: [SealingKey] = []) -> SealedCodec {
        SealedCodec(key, previous: previous)
    }
}
