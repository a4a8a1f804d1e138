// SPDX-License-Identifier: MIT

import RestEssentials

/// Converts cache entries to rows and back.
///
/// The row's value is the encoded body and nothing else, so that no header has to be copied in front of a large body.
/// The metadata is preceded by a header that says how the body was encoded: a format version, and the codec's
/// identifier with its length.
struct CacheRowCoder: Sendable {
    private static let formatVersion: UInt8 = 1

    private let codecs: CodecSet
    /// Fails for a codec whose identifier cannot be stored.
    private let header: Result<Data, StoreError>
    private let isPlain: Bool

    init(codec: StorageCodec) {
        codecs = CodecSet(current: codec)
        isPlain = codec.isIdentity
        header = Self.header(codec.identifier)
    }

    private static func header(_ identifier: String) -> Result<Data, StoreError> {
        let bytes = Array(identifier.utf8)
        guard (1...64).contains(bytes.count) else {
            return .failure(
                StoreError(.unknownCodec, "a codec's identifier has 1 to 64 bytes, not \(bytes.count)")
            )
        }
        return .success(Data([formatVersion, UInt8(bytes.count)] + bytes))
    }

    func step(_ entry: CacheEntry, key: String) throws(StoreError) -> RowStep {
        let attributes = RowAttributes(
            metadata: try metadata(entry.metadata, key: key),
            storedAt: entry.storedAt,
            expiresAt: entry.expiresAt,
            tags: entry.tags
        )
        let body = isPlain ? entry.body : try codecs.encode(entry.body, context: Part.body.context(key))
        return .put(key: key, value: body, attributes: attributes, condition: .any)
    }

    func metadata(_ metadata: Data, key: String) throws(StoreError) -> Data {
        let encoded = isPlain ? metadata : try codecs.encode(metadata, context: Part.metadata.context(key))
        return try header.get() + encoded
    }

    func entry(_ row: Row, key: String) throws(StoreError) -> CacheEntry {
        let (identifier, metadata) = try parse(row.attributes.metadata, key: key)
        return CacheEntry(
            body: try decode(row.value, identifier, key, .body),
            metadata: try decode(metadata, identifier, key, .metadata),
            storedAt: row.attributes.storedAt,
            expiresAt: row.attributes.expiresAt,
            tags: row.attributes.tags
        )
    }

    func info(_ summary: RowSummary) -> CacheEntryInfo {
        var metadata = Data()
        if let (identifier, encoded) = try? parse(summary.attributes.metadata, key: summary.key) {
            metadata = (try? decode(encoded, identifier, summary.key, .metadata)) ?? Data()
        }
        return CacheEntryInfo(
            key: summary.key,
            metadata: metadata,
            storedAt: summary.attributes.storedAt,
            expiresAt: summary.attributes.expiresAt,
            lastUsedAt: summary.lastUsedAt,
            byteCount: summary.size,
            tags: summary.attributes.tags
        )
    }

    /// Returns whether a row was written as this coder writes.
    func isCurrent(_ summary: RowSummary) -> Bool {
        (try? header.get()).map { summary.attributes.metadata.starts(with: $0) } ?? false
    }

    private func parse(_ metadata: Data, key: String) throws(StoreError) -> (identifier: String?, metadata: Data) {
        // The usual case, decided without creating a string: the entry was written as this coder writes.
        let header = try header.get()
        if metadata.prefix(header.count) == header {
            return (nil, metadata.subdata(in: metadata.startIndex + header.count..<metadata.endIndex))
        }
        guard metadata.first == Self.formatVersion, metadata.count >= 2 else {
            throw StoreError(.decodingFailed, "the entry has an unknown format", key: key)
        }
        let count = Int(metadata[metadata.startIndex + 1])
        guard metadata.count >= 2 + count else {
            throw StoreError(.decodingFailed, "the entry's header is incomplete", key: key)
        }
        let identifier = String(decoding: metadata.dropFirst(2).prefix(count), as: UTF8.self)
        return (identifier, Data(metadata.dropFirst(2 + count)))
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

    /// The parts of an entry that are encoded separately.
    ///
    /// A sealed codec binds each to its place.
    private enum Part: String {
        case body
        case metadata

        func context(_ key: String) -> CodecContext {
            CodecContext(name: key, header: Data(rawValue.utf8))
        }
    }
}
