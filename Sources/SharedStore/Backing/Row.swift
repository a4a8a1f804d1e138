// SPDX-License-Identifier: MIT

package import RestEssentials

/// A stored row with its value.
package struct Row: Sendable, Equatable {
    /// The bytes.
    package var value: Data
    /// What is known beside the bytes.
    package var attributes: RowAttributes
    /// The commit that wrote the row last; grows with every commit of the collection.
    package var version: UInt64

    package init(value: Data, attributes: RowAttributes, version: UInt64) {
        self.value = value
        self.attributes = attributes
        self.version = version
    }
}

/// What is stored beside a row's value.
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
}

/// A row without its value, for listings.
package struct RowSummary: Sendable, Equatable {
    package var key: String
    package var attributes: RowAttributes
    package var version: UInt64
    package var lastUsedAt: Date
    /// The bytes of key, metadata and value together.
    package var size: Int
}

/// What a collection holds.
package struct RowUsage: Sendable, Equatable {
    package var rows: Int
    package var bytes: Int
    /// The collection's last commit.
    package var version: UInt64
    /// Whether this very backing made the last commit; false when another process (or connection) did.
    package var isLastWriterHere: Bool
}
