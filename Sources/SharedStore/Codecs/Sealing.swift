// SPDX-License-Identifier: MIT

import Crypto
import RestEssentials

/// Encrypts and authenticates values with AES-GCM, each bound to its key and envelope.
struct Sealing {
    private static let nonceLength = 12
    private static let tagLength = 16
    let key: SealingKey
    /// Other keys, which may open values that they sealed.
    let previous: [SealingKey]

    /// Seals the bytes: nonce, ciphertext, tag, key identifier.
    ///
    /// The identifier comes last, so that the rest need not be copied to make room for it.
    func seal(_ data: Data, _ context: CodecContext) throws(StoreError) -> Data {
        let key = try key.ready
        return try StoreError.wrapping(.encodingFailed, "the value cannot be sealed", key: context.name) {
            let binding = Self.binding(key, context)
            // The box ends here, so that appending the identifier does not copy what the box contains.
            guard var output = try AES.GCM.seal(data, using: key.key, authenticating: binding).combined else {
                throw StoreError(.internalFailure, "the nonce has an unusual length")
            }
            output.append(key.identifier)
            return output
        }
    }

    /// Opens a value that was sealed with the current or a previous key.
    func open(_ data: Data, _ context: CodecContext) throws(StoreError) -> Data {
        let overhead = SealingKey.identifierLength + Self.nonceLength + Self.tagLength
        guard data.count >= overhead else {
            throw StoreError(.truncatedInput, "the sealed value is too short", key: context.name)
        }
        guard let key = try key(named: data.suffix(SealingKey.identifierLength)) else {
            throw StoreError(.wrongKey, "none of the given keys sealed the value", key: context.name)
        }
        do {
            let box = try AES.GCM.SealedBox(combined: data.dropLast(SealingKey.identifierLength))
            return try AES.GCM.open(box, using: key.key, authenticating: Self.binding(key, context))
        } catch {
            let reason = "the sealed value was altered or moved from another place"
            throw StoreError(.tampered, reason, key: context.name)
        }
    }

    func isCurrent(_ data: Data) -> Bool {
        guard let key = try? key.ready else {
            return true
        }
        return data.suffix(SealingKey.identifierLength) == key.identifier
    }

    private func key(named identifier: Data) throws(StoreError) -> SealingKey.Ready? {
        let current = try key.ready
        if current.identifier == identifier { return current }
        for key in previous {
            let former = try key.ready
            if former.identifier == identifier { return former }
        }
        return nil
    }

    /// Returns the beginning of the additional authenticated data, which is the same for all values of a key.
    static func binding(of identifier: Data) -> [UInt8] {
        var binding = Array("SharedStore sealed 1".utf8)
        append(identifier, to: &binding)
        return binding
    }

    private static func binding(_ key: SealingKey.Ready, _ context: CodecContext) -> [UInt8] {
        let name = context.name.utf8
        var binding: [UInt8] = []
        binding.reserveCapacity(key.binding.count + 16 + name.count + context.header.count)
        binding.append(contentsOf: key.binding)
        append(name, to: &binding)
        append(context.header, to: &binding)
        return binding
    }

    /// Appends a part and, before it, its length, so that no two contexts have the same encoding.
    private static func append(_ part: some Collection<UInt8>, to binding: inout [UInt8]) {
        unsafe withUnsafeBytes(of: UInt64(part.count).littleEndian) { unsafe binding.append(contentsOf: $0) }
        binding.append(contentsOf: part)
    }
}
