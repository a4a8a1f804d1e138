// SPDX-License-Identifier: MIT

/// An action that an ``ExpiringCache`` took on its own, reported to ``ExpiringCache/Configuration/onEvent``.
public struct CacheEvent: Sendable {
    /// The kind of an event.
    ///
    /// Later releases may add more.
    public struct Name: Hashable, Sendable, CustomStringConvertible {
        /// The name as text, which is stable between releases.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The file was damaged or foreign.
        ///
        /// It was set aside and replaced by a new one.
        public static let rebuilt = Name("rebuilt")
        /// A row was damaged or could not be decoded, and was removed.
        public static let entryDiscarded = Name("entryDiscarded")
        /// Least recently used entries were removed to keep a limit.
        public static let evicted = Name("evicted")
        /// Expired entries were removed.
        public static let swept = Name("swept")
        /// Another process changed the file, so the memory tier was cleared.
        public static let changedByAnotherProcess = Name("changedByAnotherProcess")
    }

    /// The kind of the event.
    public let name: Name

    /// The new path of a damaged file, for ``Name/rebuilt``.
    public internal(set) var setAsideFile: String?

    /// The key of the entry, if the event concerns one.
    public internal(set) var key: String?

    /// The error behind the event, if any.
    public internal(set) var error: StoreError?

    /// The number of affected entries.
    public internal(set) var entryCount = 0

    /// The number of affected bytes.
    public internal(set) var byteCount = 0
}
