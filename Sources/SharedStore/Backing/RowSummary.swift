// SPDX-License-Identifier: MIT

package import RestEssentials

/// A row without its value, for listings.
package struct RowSummary: Sendable, Equatable {
    package var key: String
    package var attributes: RowAttributes
    package var version: UInt64
    package var lastUsedAt: Date
    /// The size in bytes of key, metadata and value.
    package var size: Int
}
