// SPDX-License-Identifier: MIT

import RestEssentials

/// The header of each shared value in the store, which says how the value was written.
///
/// | bytes | meaning |
/// |---|---|
/// | 2 | 0x53 0xD7 |
/// | 1 | version of the envelope: 1; 2 with the number of the change; 3 with the expiry; 4 with both |
/// | 1 | serialization: 0 JSON, 1 the bytes themselves |
/// | 4 | schema version of the value, little-endian |
/// | 1 | length of the codec's identifier: 1 to 64 |
/// | … | the codec's identifier in UTF-8 |
/// | 8 | in versions 2 and 4, the number of the value's change for its ``RollbackGuard``, little-endian |
/// | 8 | in versions 3 and 4, the expiry in seconds since 2001, the bits of a `Double`, little-endian |
/// | … | the encoded value |
///
/// The row has its expiry in a column as well, which no codec protects: the earlier of the two counts.
struct ValueEnvelope: Equatable {
    /// The way a value becomes bytes before the codec encodes them.
    enum Serialization: UInt8 {
        case json = 0
        case bytes = 1
    }

    private static let magic: [UInt8] = [0x53, 0xD7]
    private static let versions: ClosedRange<UInt8> = 1...4
    private static let fixedLength = 9

    var serialization: Serialization
    var schemaVersion: UInt32
    var codec: String
    /// The number of the value's change, if its key has a ``RollbackGuard``.
    var change: UInt64?
    var expiresAt: Date?
    var payload: Data

    /// Everything before the payload; a sealed codec authenticates it.
    static func header(
        serialization: Serialization,
        schemaVersion: UInt32,
        codec: String,
        change: UInt64? = nil,
        expiresAt: Date? = nil
    ) throws(StoreError) -> Data {
        let identifier = codec.utf8
        guard (1...64).contains(identifier.count) else {
            throw StoreError(.unknownCodec, "a codec's identifier has 1 to 64 bytes, not \(identifier.count)")
        }
        var header: [UInt8] = []
        header.reserveCapacity(fixedLength + identifier.count + 16)
        header.append(contentsOf: magic)
        header.append(1 + (change == nil ? 0 : 1) + (expiresAt == nil ? 0 : 2))
        header.append(serialization.rawValue)
        unsafe withUnsafeBytes(of: schemaVersion.littleEndian) { unsafe header.append(contentsOf: $0) }
        header.append(UInt8(identifier.count))
        header.append(contentsOf: identifier)
        for number in [change, expiresAt?.timeIntervalSinceReferenceDate.bitPattern] {
            guard let number else {
                continue
            }
            unsafe withUnsafeBytes(of: number.littleEndian) { unsafe header.append(contentsOf: $0) }
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
                "the value's envelope has version \(fixed[2]), this release knows 1 to 4",
                key: key
            )
        }
        guard let serialization = Serialization(rawValue: fixed[3]) else {
            throw StoreError(.corrupt, "the value's serialization \(fixed[3]) is unknown", key: key)
        }
        let count = Int(fixed[8])
        let rest = data.dropFirst(Self.fixedLength)
        let hasChange = fixed[2] == 2 || fixed[2] == 4
        let hasExpiry = fixed[2] >= 3
        guard (1...64).contains(count), rest.count >= count + (hasChange ? 8 : 0) + (hasExpiry ? 8 : 0) else {
            throw StoreError(.corrupt, "the value's envelope is incomplete", key: key)
        }
        guard let codec = String(validating: rest.prefix(count), as: UTF8.self) else {
            throw StoreError(.corrupt, "the value's codec has no valid name", key: key)
        }
        self.serialization = serialization
        schemaVersion = fixed[4..<8].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        self.codec = codec
        var tail = rest.dropFirst(count)
        if hasChange { change = Self.number(&tail) }
        if hasExpiry {
            let seconds = Double(bitPattern: Self.number(&tail))
            // A value that is not a time counts as expired.
            expiresAt = seconds.isNaN ? .distantPast : Date(timeIntervalSinceReferenceDate: seconds)
        }
        payload = Data(tail)
    }

    private static func number(_ bytes: inout Data) -> UInt64 {
        defer { bytes = bytes.dropFirst(8) }
        return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    var header: Data {
        get throws(StoreError) {
            try Self.header(
                serialization: serialization,
                schemaVersion: schemaVersion,
                codec: codec,
                change: change,
                expiresAt: expiresAt
            )
        }
    }
}
