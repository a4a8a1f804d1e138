// SPDX-License-Identifier: MIT

package import RestEssentials

/// The attributes of a row.
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

    /// Returns whether the row has expired at a given time.
    func hasExpired(at now: Date) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }
}
