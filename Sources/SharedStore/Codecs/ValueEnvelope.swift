// SPDX-License-Identifier: MIT

import RestEssentials

/// The header of each shared value in the store, which says how the value was written.
///
/// | bytes | meaning |
/// |---|---|
/// | 2 | 0x53 0xD7 |
/// | 1 | version of the envelope: 1, or 2 with the number of the change |
/// | 1 | serialization: 0 JSON, 1 the bytes themselves |
/// | 4 | schema version of the value, little-endian |
/// | 1 | length of the codec's identifier: 1 to 64 |
/// | … | the codec's identifier in UTF-8 |
/// | 8 | in version 2, the number of the value's change for its ``RollbackGuard``, little-endian |
/// | … | the encoded value |
struct ValueEnvelope: Equatable {
    /// The way a value becomes bytes before the codec encodes them.
    enum Serialization: UInt8 {
        case json = 0
        case bytes = 1
    }

    private static let magic: [UInt8] = [0x53, 0xD7]
    private static let versions: [UInt8] = [1, 2]
    private static let fixedLength = 9

    var serialization: Serialization
    var schemaVersion: UInt32
    var codec: String
    /// The number of the value's change, if its key has a ``RollbackGuard``.
    var change: UInt64?
    var payload: Data

    /// Everything before the payload; a sealed codec authenticates it.
    static func header(
        serialization: Serialization,
        schemaVersion: UInt32,
        codec: String,
        change: UInt64? = nil
    ) throws(StoreError) -> Data {
        let identifier = codec.utf8
        guard (1...64).contains(identifier.count) else {
            throw StoreError(.unknownCodec, "a codec's identifier has 1 to 64 bytes, not \(identifier.count)")
        }
        var header: [UInt8] = []
        header.reserveCapacity(fixedLength + identifier.count + 8)
        header.append(contentsOf: magic)
        header.append(change == nil ? 1 : 2)
        header.append(serialization.rawValue)
        unsafe withUnsafeBytes(of: schemaVersion.littleEndian) { unsafe header.append(contentsOf: $0) }
        header.append(UInt8(identifier.count))
        header.append(contentsOf: identifier)
        if let change {
            unsafe withUnsafeBytes(of: change.littleEndian) { unsafe header.append(contentsOf: $0) }
        }
        return Data(header)
    }

    /// Reads an envelope; never reads beyond the data, even if it is damaged.
    init(_ data: Data, key: String) throws(StoreError) {
        let bytes = data.prefix(Self.fixedLength)
        guard bytes.count == Self.fixedLength, bytes.starts(with: Self.magic) else {
            throw StoreError(.corrupt, "the value is not in an envelope of this library", key: key)
        }
        let fixed = Array(bytes)
        guard Self.versions.contains(fixed[2]) else {
            throw StoreError(
                .newerSchema,
                "the value's envelope has version \(fixed[2]), this release knows 1 and 2",
                key: key
            )
        }
        guard let serialization = Serialization(rawValue: fixed[3]) else {
            throw StoreError(.corrupt, "the value's serialization \(fixed[3]) is unknown", key: key)
        }
        let count = Int(fixed[8])
        let rest = data.dropFirst(Self.fixedLength)
        let changeLength = fixed[2] == 1 ? 0 : 8
        guard (1...64).contains(count), rest.count >= count + changeLength else {
            throw StoreError(.corrupt, "the value's envelope is incomplete", key: key)
        }
        guard let codec = String(validating: rest.prefix(count), as: UTF8.self) else {
            throw StoreError(.corrupt, "the value's codec has no valid name", key: key)
        }
        self.serialization = serialization
        schemaVersion = fixed[4..<8].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        self.codec = codec
        let numbered = rest.dropFirst(count)
        if changeLength > 0 {
            change = numbered.prefix(changeLength).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        payload = Data(numbered.dropFirst(changeLength))
    }

    /// The header as it was read.
    var header: Data {
        get throws(StoreError) {
            try Self.header(serialization: serialization, schemaVersion: schemaVersion, codec: codec, change: change)
        }
    }
}
