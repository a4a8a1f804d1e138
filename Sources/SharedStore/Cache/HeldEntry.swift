// SPDX-License-Identifier: MIT

/// An entry in the memory of a cache, with the object that is kept beside it.
package final class HeldEntry: Sendable {
    package let entry: CacheEntry
    /// The object that was derived from the entry's bytes, with which it ends.
    package let companion: (any AnyObject & Sendable)?

    init(_ entry: CacheEntry, companion: (any AnyObject & Sendable)? = nil) {
        self.entry = entry
        self.companion = companion
    }
}
