// SPDX-License-Identifier: MIT

import RestEssentials

/// Converts cache entries to rows and back.
///
/// The row's value is the encoded body and nothing else, so that no header has to be copied in front of a large body.
/// The metadata is preceded by a header that says how the body was encoded: a format version, and the codec's
/// identifier with its length. A codec other than `.identity` encodes the entry's dates with the metadata, because a
/// sealed one then protects them: the earlier of these and of the dates in the row's columns count.
struct CacheRowCoder: Sendable {
    private static let formatVersion: UInt8 = 1
    /// The version in which the dates are encoded before the metadata.
    private static let datedVersion: UInt8 = 2
    private static let datesLength = 16

    private let codecs: CodecSet
    /// Fails for a codec whose identifier cannot be stored.
    private let header: Result<Data, StoreError>
    private let isPlain: Bool

    init(codec: StorageCodec) {
        codecs = CodecSet(current: codec)
        isPlain = codec.isIdentity
        header = Self.header(codec.isIdentity ? Self.formatVersion : Self.datedVersion, codec.identifier)
    }

    private static func header(_ version: UInt8, _ identifier: String) -> Result<Data, StoreError> {
        let bytes = Array(identifier.utf8)
        guard (1...64).contains(bytes.count) else {
            return .failure(
                StoreError(.unknownCodec, "a codec's identifier has 1 to 64 bytes, not \(bytes.count)")
            )
        }
        return .success(Data([version, UInt8(bytes.count)] + bytes))
    }

    func step(_ entry: CacheEntry, key: String, condition: RowCondition) throws(StoreError) -> RowStep {
        var attributes = entry.attributes
        attributes.metadata = try metadata(entry.metadata, entry.storedAt, entry.expiresAt, key: key)
        let body = isPlain ? entry.body : try codecs.encode(entry.body, context: Part.body.context(key))
        return .put(key: key, value: body, attributes: attributes, condition: condition)
    }

    func metadata(
        _ metadata: Data,
        _ storedAt: Date,
        _ expiresAt: Date?,
        key: String
    ) throws(StoreError) -> Data {
        guard !isPlain else {
            return try header.get() + metadata
        }
        var dated = Data(capacity: Self.datesLength + metadata.count)
        for date in [storedAt, expiresAt ?? .distantFuture] {
            let bits = date.timeIntervalSinceReferenceDate.bitPattern.littleEndian
            unsafe withUnsafeBytes(of: bits) { unsafe dated.append(contentsOf: $0) }
        }
        dated.append(metadata)
        return try header.get() + codecs.encode(dated, context: Part.metadata.context(key))
    }

    func entry(_ row: Row, key: String) throws(StoreError) -> CacheEntry {
        let parsed = try parse(row.attributes.metadata, key: key)
        let attributes = try decoded(row.attributes, parsed, key)
        return CacheEntry(try decode(row.value, parsed.identifier, key, .body), attributes)
    }

    func info(_ summary: RowSummary) -> CacheEntryInfo {
        var attributes = summary.attributes
        attributes.metadata = Data()
        if let parsed = try? parse(summary.attributes.metadata, key: summary.key),
            let decoded = try? decoded(summary.attributes, parsed, summary.key)
        {
            attributes = decoded
        }
        return CacheEntryInfo(
            key: summary.key,
            metadata: attributes.metadata,
            storedAt: attributes.storedAt,
            expiresAt: attributes.expiresAt,
            lastUsedAt: summary.lastUsedAt,
            byteCount: summary.size,
            tags: attributes.tags
        )
    }

    /// Returns the attributes of a row with the decoded metadata, and the earlier of the dates in both places.
    private func decoded(
        _ attributes: RowAttributes,
        _ parsed: Parsed,
        _ key: String
    ) throws(StoreError) -> RowAttributes {
        var decoded = attributes
        decoded.metadata = try decode(parsed.metadata, parsed.identifier, key, .metadata)
        guard parsed.isDated else {
            return decoded
        }
        guard decoded.metadata.count >= Self.datesLength else {
            throw StoreError(.decodingFailed, "the entry's dates are incomplete", key: key)
        }
        let dates = [0, 8]
            .map { offset in
                let bits = decoded.metadata.dropFirst(offset).prefix(8).reversed()
                    .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
            }
        decoded.metadata = Data(decoded.metadata.dropFirst(Self.datesLength))
        decoded.storedAt = min(dates[0], attributes.storedAt)
        if dates[1] < attributes.expiresAt ?? .distantFuture { decoded.expiresAt = dates[1] }
        return decoded
    }

    func isCurrent(_ summary: RowSummary) -> Bool {
        (try? header.get()).map { summary.attributes.metadata.starts(with: $0) } ?? false
    }

    private struct Parsed {
        /// The codec; `nil` for that of this coder.
        var identifier: String?
        var isDated: Bool
        var metadata: Data
    }

    private func parse(_ metadata: Data, key: String) throws(StoreError) -> Parsed {
        // The usual case, decided without creating a string: the entry was written as this coder writes.
        let header = try header.get()
        if metadata.prefix(header.count) == header {
            let rest = metadata.subdata(in: metadata.startIndex + header.count..<metadata.endIndex)
            return Parsed(identifier: nil, isDated: !isPlain, metadata: rest)
        }
        guard let version = metadata.first, [Self.formatVersion, Self.datedVersion].contains(version),
            metadata.count >= 2
        else {
            throw StoreError(.decodingFailed, "the entry has an unknown format", key: key)
        }
        let count = Int(metadata[metadata.startIndex + 1])
        guard metadata.count >= 2 + count else {
            throw StoreError(.decodingFailed, "the entry's header is incomplete", key: key)
        }
        let identifier = String(decoding: metadata.dropFirst(2).prefix(count), as: UTF8.self)
        return Parsed(
            identifier: identifier,
            isDated: version == Self.datedVersion,
            metadata: Data(metadata.dropFirst(2 + count))
        )
    }

    private func decode(
        _ data: Data,
        _ identifier: String?,
        _ key: String,
        _ part: Part
    ) throws(StoreError) -> Data {
        if isPlain, identifier == nil { return data }
        let identifier = identifier ?? codecs.current.identifier
        return try codecs.decode(data, identifier: identifier, context: part.context(key)).data
    }

    /// The parts of an entry that are encoded separately; a sealed codec binds each to its place.
    private enum Part: String {
        case body
        case metadata

        func context(_ key: String) -> CodecContext {
            CodecContext(name: key, header: Data(rawValue.utf8))
        }
    }
}

extension CacheEntry {
    init(_ body: Data, _ attributes: RowAttributes) {
        self.init(
            body: body,
            metadata: attributes.metadata,
            storedAt: attributes.storedAt,
            expiresAt: attributes.expiresAt,
            tags: attributes.tags
        )
    }

    var attributes: RowAttributes {
        RowAttributes(metadata: metadata, storedAt: storedAt, expiresAt: expiresAt, tags: tags)
    }
}
