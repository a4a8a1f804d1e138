// SPDX-License-Identifier: MIT

import Crypto
import RestEssentials

/// Encrypts and authenticates values with AES-GCM, each bound to its key and envelope.
struct Sealing {
    private static let nonceLength = 12
    private static let tagLength = 16

    /// The key that seals.
    let key: SealingKey
    /// Other keys, which may open values that they sealed.
    let previous: [SealingKey]

    /// Seals the bytes: nonce, ciphertext, tag, key identifier.
    ///
    /// The identifier comes last, so that the rest need not be copied to make room for it.
    func seal(_ data: Data, _ context: CodecContext) throws(StoreError) -> Data {
        let (identifier, key) = (try key.identifier, try key.symmetricKey)
        return try StoreError.wrapping(.encodingFailed, "the value cannot be sealed", key: context.name) {
            let box = try AES.GCM.seal(data, using: key, authenticating: Self.binding(identifier, context))
            guard var output = box.combined else {
                throw StoreError(.internalFailure, "the nonce has an unusual length")
            }
            output.append(identifier)
            return output
        }
    }

    /// Opens a value that was sealed with the current or a previous key.
    func open(_ data: Data, _ context: CodecContext) throws(StoreError) -> Data {
        let overhead = SealingKey.identifierLength + Self.nonceLength + Self.tagLength
        guard data.count >= overhead else {
            throw StoreError(.truncatedInput, "the sealed value is too short", key: context.name)
        }
        let identifier = Data(data.suffix(SealingKey.identifierLength))
        guard let key = try key(named: identifier) else {
            throw StoreError(.wrongKey, "none of the given keys sealed the value", key: context.name)
        }
        let symmetricKey = try key.symmetricKey
        do {
            let box = try AES.GCM.SealedBox(combined: data.dropLast(SealingKey.identifierLength))
            return try AES.GCM.open(box, using: symmetricKey, authenticating: Self.binding(identifier, context))
        } catch {
            let reason = "the sealed value was altered or moved from another place"
            throw StoreError(.tampered, reason, key: context.name)
        }
    }

    /// Returns true if the bytes were sealed with the current key.
    func isCurrent(_ data: Data) -> Bool {
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
    /// Each part is preceded by its length, so that no two contexts have the same encoding.
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
