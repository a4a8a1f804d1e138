// SPDX-License-Identifier: MIT

extension ExpiringCache {
    /// The limits and options of an ``ExpiringCache``.
    public struct Configuration: Sendable {
        /// The maximum size in bytes of all keys, metadata and bodies, as stored.
        ///
        /// The least recently used entries are evicted first.
        ///
        /// The default is 256 MiB. `nil` sets no limit.
        public var byteLimit: Int? = 256 * 1024 * 1024

        /// The maximum number of entries.
        ///
        /// The default is `nil`: no limit.
        public var countLimit: Int?

        /// The maximum size in bytes of one entry's key, metadata and body.
        ///
        /// A larger one is rejected with ``StoreError/Code-swift.struct/entryTooLarge``.
        ///
        /// The default is 64 MiB. An entry can never be larger than ``byteLimit``, nor than 999,000,000 bytes.
        public var entryByteLimit: Int = 64 * 1024 * 1024

        /// The maximum size in bytes of the memory tier.
        ///
        /// Zero disables it.
        ///
        /// The default is 8 MiB. An entry that would fill more than an eighth of it is not kept in memory.
        public var memoryByteLimit: Int = 8 * 1024 * 1024

        /// The codec of bodies and metadata.
        ///
        /// The default is ``StorageCodec/identity``.
        ///
        /// Entries written with another codec are misses, except plain and compressed ones read by a codec that is
        /// not sealed. Keys, tags and dates are stored in the clear.
        public var codec: StorageCodec = .identity

        /// The maximum time to wait for another process that writes to the same file.
        ///
        /// The default is 30 seconds.
        public var busyTimeout: Duration = .seconds(30)

        /// Called after the cache took an action on its own, on the thread that took it, with no lock held.
        ///
        /// The default is `nil`. The closure may use the cache, except during the initializer.
        public var onEvent: (@Sendable (CacheEvent) -> Void)?

        /// Creates the default configuration.
        public init() {}
    }
}

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
