// SPDX-License-Identifier: MIT

package import RestEssentials

/// A selection of rows for bulk removal.
package enum RowSelection: Sendable, Equatable {
    case all
    case prefix(String)
    case tag(String)
    /// Rows whose expiry is at or before the date.
    case expired(by: Date)
}
