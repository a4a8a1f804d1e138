// SPDX-License-Identifier: MIT

/// Something an ``ExpiringCache`` did by itself, told to ``ExpiringCache/Configuration/onEvent``.
public struct CacheEvent: Sendable {
    /// The kind of an event; open, so that a later release can add one.
    public struct Name: Hashable, Sendable, CustomStringConvertible {
        /// The name as text, stable between releases.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The file was damaged or foreign; it was set aside and a new one begun.
        public static let rebuilt = Name("rebuilt")
        /// A row was damaged or could not be decoded, and was removed.
        public static let entryDiscarded = Name("entryDiscarded")
        /// Least recently used entries were removed to keep a limit.
        public static let evicted = Name("evicted")
        /// Expired entries were removed.
        public static let swept = Name("swept")
        /// Another process changed the file, so the memory tier was emptied.
        public static let changedByAnotherProcess = Name("changedByAnotherProcess")
    }

    /// What happened.
    public let name: Name

    /// The path that a damaged file now has, for ``Name/rebuilt``.
    public let setAsideFile: String?

    /// The key concerned, when there is one.
    public let key: String?

    /// What was wrong, when something was.
    public let error: StoreError?

    /// The number of entries concerned.
    public let entryCount: Int

    /// The number of bytes concerned.
    public let byteCount: Int

    init(
        _ name: Name,
        setAsideFile: String? = nil,
        key: String? = nil,
        error: StoreError? = nil,
        entryCount: Int = 0,
        byteCount: Int = 0
    ) {
        self.name = name
        self.setAsideFile = setAsideFile
        self.key = key
        self.error = error
        self.entryCount = entryCount
        self.byteCount = byteCount
    }
}
