// SPDX-License-Identifier: MIT

package import RestEssentials

/// A stored row with its value.
package struct Row: Sendable, Equatable {
    /// The bytes.
    package var value: Data
    /// The attributes of the row.
    package var attributes: RowAttributes
    /// The commit that wrote the row last; grows with every commit of the collection.
    package var version: UInt64

    package init(value: Data, attributes: RowAttributes, version: UInt64) {
        self.value = value
        self.attributes = attributes
        self.version = version
    }
}
