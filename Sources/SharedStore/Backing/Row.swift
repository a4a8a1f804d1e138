// SPDX-License-Identifier: MIT

package import RestEssentials

/// A named set of rows in a backing; the cache, the shared data and the journal use one each.
package struct RowCollection: Hashable, Sendable {
    /// The name: lower-case ASCII letters only, so that an engine can use it in a table's name.
    package let name: String

    /// True if each change is written to the change feed, for rows that are observed individually.
    package let recordsChanges: Bool

    package init(name: String, recordsChanges: Bool) {
        self.name = String(name.unicodeScalars.filter { ("a"..."z").contains($0) })
        self.recordsChanges = recordsChanges
    }

    package static let cache = RowCollection(name: "cache", recordsChanges: false)
    package static let shared = RowCollection(name: "shared", recordsChanges: true)
    package static let journal = RowCollection(name: "journal", recordsChanges: false)
}

package struct Row: Sendable, Equatable {
    package var value: Data
    package var attributes: RowAttributes
    /// The commit that wrote the row last; grows with every commit of the collection.
    package var version: UInt64

    package init(value: Data, attributes: RowAttributes, version: UInt64) {
        self.value = value
        self.attributes = attributes
        self.version = version
    }
}

package struct RowAttributes: Sendable, Equatable {
    /// A small blob that can change without the value being written again.
    package var metadata: Data
    package var storedAt: Date
    package var expiresAt: Date?
    package var tags: Set<String>

    package init(metadata: Data = Data(), storedAt: Date, expiresAt: Date? = nil, tags: Set<String> = []) {
        self.metadata = metadata
        self.storedAt = storedAt
        self.expiresAt = expiresAt
        self.tags = tags
    }

    func hasExpired(at now: Date) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }

    /// Returns true if one of the tags has the same bytes.
    func has(tag: String) -> Bool {
        let tag = RowKey(tag)
        return tags.contains { RowKey($0) == tag }
    }
}

package struct RowSummary: Sendable, Equatable {
    package var key: String
    package var attributes: RowAttributes
    package var version: UInt64
    package var lastUsedAt: Date
    /// The size in bytes of key, metadata and value.
    package var size: Int
}

/// A part of the rows of a collection, in the order of their keys' bytes.
package struct RowPage: Sendable {
    package var prefix: String
    package var tag: String?
    /// The key after which the page begins; the first one if `nil`.
    package var key: String?
    package var limit: Int

    package init(prefix: String = "", tag: String? = nil, after key: String? = nil, limit: Int = 500) {
        self.prefix = prefix
        self.tag = tag
        self.key = key
        self.limit = max(0, limit)
    }

    /// Returns the page after this one, which listed these rows; `nil` if this was the last.
    package func next(after rows: [RowSummary]) -> RowPage? {
        guard rows.count == limit, let last = rows.last else {
            return nil
        }
        return RowPage(prefix: prefix, tag: tag, after: last.key, limit: limit)
    }
}

package struct RowUsage: Sendable, Equatable {
    package var rows: Int
    package var bytes: Int
    package var version: UInt64
    /// True if this backing made the last commit, rather than another process or connection.
    package var isLastWriterHere: Bool

    func keeps(rows limit: Int, bytes byteLimit: Int) -> Bool {
        rows <= limit && bytes <= byteLimit
    }
}

package struct RowFeed: Sendable, Equatable {
    package var entries: [RowFeedEntry]
    package var position: UInt64
    /// True if entries after the requested position are missing, so that everything must be read again.
    package var hasGap: Bool
    package var hasMore: Bool
}

package struct RowFeedEntry: Sendable, Equatable {
    package enum Kind: Int, Sendable {
        case put = 0
        case remove = 1
    }

    package var position: UInt64
    package var key: String
    package var kind: Kind
    package var version: UInt64
    package var isFromHere: Bool
}

/// The stored form of a set of tags: each as its length in four bytes and its UTF-8, sorted by bytes.
enum TagList {
    static func encode(_ tags: Set<String>) -> Data? {
        guard !tags.isEmpty else {
            return nil
        }
        var data = Data()
        for tag in tags.map(RowKey.init).sorted() {
            let bytes = tag.string.utf8
            let count = UInt32(clamping: bytes.count)
            data.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
            data.append(contentsOf: bytes)
        }
        return data
    }

    /// Decodes the stored form; stops at the first malformed part.
    static func decode(_ data: Data) -> Set<String> {
        unsafe data.withUnsafeBytes { bytes in
            var tags: Set<String> = []
            var start = 0
            // Without slices of the data, which cost more than the tags in them.
            while bytes.count - start >= 4 {
                let length = unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)
                let count = Int(UInt32(littleEndian: length))
                start += 4
                guard count <= bytes.count - start else {
                    break
                }
                let tag = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                tags.insert(unsafe String(decoding: tag, as: UTF8.self))
                start += count
            }
            return tags
        }
    }
}
