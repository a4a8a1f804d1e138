// SPDX-License-Identifier: MIT

import RestEssentials

extension SharedKey {
    struct Decoded {
        var value: Value?
        var isCurrent: Bool
    }

    var reader: SharedData.Reader {
        get throws(StoreError) {
            let codec = codecs.current
            let variant = try StoreError.wrapping(.invalidKeyMaterial, "the codec has no key", key: name) {
                try codec.variant
            }
            return SharedData.Reader(
                codec: codec.identifier,
                variant: variant,
                schemaVersion: schemaVersion,
                isGuarded: rollbackGuard != nil
            )
        }
    }

    /// `change` is the number of the value's change, if the key has a ``RollbackGuard``.
    func row(
        for value: Value,
        change: UInt64? = nil,
        storedAt: Date,
        expiresAt: Date?
    ) throws(StoreError) -> (value: Data, attributes: RowAttributes) {
        let serialization: ValueEnvelope.Serialization = Value.self == Data.self ? .bytes : .json
        let header = try ValueEnvelope.header(
            serialization: serialization,
            schemaVersion: UInt32(clamping: schemaVersion),
            codec: codecs.current.identifier,
            change: change,
            expiresAt: expiresAt
        )
        let bytes: Data
        if let data = value as? Data {
            bytes = data
        } else {
            bytes = try StoreError.wrapping(.encodingFailed, "the value cannot be encoded", key: name) {
                try Self.encoder.encode(value)
            }
        }
        let payload = try codecs.encode(bytes, context: CodecContext(name: name, header: header))
        var stored = Data(capacity: header.count + payload.count)
        stored.append(header)
        stored.append(payload)
        return (stored, RowAttributes(storedAt: storedAt, expiresAt: expiresAt))
    }

    func decode(_ row: Row) throws(StoreError) -> Decoded {
        let envelope = try ValueEnvelope(row.value, key: name)
        try checkSchema(of: envelope)
        let (bytes, isCurrent) = try codecs.decode(
            envelope.payload,
            identifier: envelope.codec,
            context: CodecContext(name: name, header: envelope.header)
        )
        // After the codec, which has authenticated the number.
        try checkRollback(of: envelope)
        let isNumbered = rollbackGuard == nil || envelope.change != nil
        guard envelope.schemaVersion == UInt32(clamping: schemaVersion) else {
            return Decoded(value: try migrate(bytes, from: Int(envelope.schemaVersion)), isCurrent: false)
        }
        return Decoded(value: try deserialize(bytes, envelope.serialization), isCurrent: isCurrent && isNumbered)
    }

    private func checkSchema(of envelope: ValueEnvelope) throws(StoreError) {
        guard envelope.schemaVersion <= UInt32(clamping: schemaVersion) else {
            throw StoreError(
                .newerSchema,
                "the value has schema version \(envelope.schemaVersion), the key knows up to \(schemaVersion)",
                key: name
            )
        }
    }

    /// Checks that one of the key's codecs can open a row, and that the key knows its schema, regardless of the value's
    /// type.
    ///
    /// - Throws: ``StoreError`` with `newerSchema`, `wrongKey`, `unknownCodec`, `tampered` or `rolledBack`, or the
    ///   error of the guard. A row with any other damage contains nothing worth keeping.
    func open(_ row: Row) throws(StoreError) {
        let envelope: ValueEnvelope
        do throws(StoreError) {
            envelope = try ValueEnvelope(row.value, key: name)
        } catch {
            guard error.code == .newerSchema else {
                return
            }
            throw error
        }
        try checkSchema(of: envelope)
        do throws(StoreError) {
            _ = try codecs.decode(
                envelope.payload,
                identifier: envelope.codec,
                context: CodecContext(name: name, header: envelope.header)
            )
        } catch  where [.wrongKey, .unknownCodec, .tampered].contains(error.code) {
            throw error
        } catch {
            return
        }
        try checkRollback(of: envelope)
    }

    /// Checks that a stored row can be opened, and that it may be replaced by a row that this key wrote.
    ///
    /// - Throws: ``StoreError`` as ``open(_:)`` does; with `rolledBack` if the stored row has a later change.
    func open(_ stored: Row, toReplaceBy row: Row) throws(StoreError) {
        let change = (try? ValueEnvelope(row.value, key: name))?.change
        let storedChange = (try? ValueEnvelope(stored.value, key: name))?.change
        if rollbackGuard != nil, let change, let storedChange, storedChange > change {
            throw StoreError(.rolledBack, "the value has a later change than its guard knows of", key: name)
        }
        try open(stored)
    }

    private func migrate(_ bytes: Data, from version: Int) throws(StoreError) -> Value? {
        guard let migration else {
            throw StoreError(
                .migrationFailed,
                "the value has schema version \(version), the key has \(schemaVersion) and no migration",
                key: name
            )
        }
        let reason = "the migration from schema version \(version) failed"
        return try StoreError.wrapping(.migrationFailed, reason, key: name) { try migration(bytes, version) }
    }

    private func deserialize(
        _ bytes: Data,
        _ serialization: ValueEnvelope.Serialization
    ) throws(StoreError) -> Value {
        switch serialization {
        case .bytes:
            guard let value = bytes as? Value else {
                throw StoreError(.decodingFailed, "the stored value is bytes, not \(Value.self)", key: name)
            }
            return value
        case .json:
            guard Value.self != Data.self else {
                throw StoreError(.decodingFailed, "the stored value is JSON, not bytes", key: name)
            }
            return try StoreError.wrapping(.decodingFailed, "the stored value is not a valid \(Value.self)", key: name)
            {
                try Self.decoder.decode(Value.self, from: bytes)
            }
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return decoder
    }
}

extension Row {
    /// Returns a row of shared data with the earlier of the expiries in its column and in its envelope.
    func withEarlierExpiry() -> Row {
        // The version tells most rows without an expiry apart, before anything is copied.
        guard value.count > 2, value[value.startIndex + 2] >= 3,
            let sealed = try? ValueEnvelope(value, key: "").expiresAt
        else {
            return self
        }
        var row = self
        row.attributes.expiresAt = min(sealed, attributes.expiresAt ?? .distantFuture)
        return row
    }
}
