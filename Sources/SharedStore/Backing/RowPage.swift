// SPDX-License-Identifier: MIT

/// A part of the rows of a collection, in the order of their keys' bytes.
package struct RowPage: Sendable {
    /// The prefix of the rows' keys.
    package var prefix: String
    /// The tag of the rows; any if `nil`.
    package var tag: String?
    /// The key after which the page begins; the first one if `nil`.
    package var key: String?
    /// The maximum number of rows.
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
