// SPDX-License-Identifier: MIT

extension ExpiringCache {
    /// The limits and habits of an ``ExpiringCache``.
    public struct Configuration: Sendable {
        /// The most bytes of keys, metadata and bodies as stored; the least recently used entries go first.
        ///
        /// The default is 256 MiB. `nil` sets no limit.
        public var byteLimit: Int? = 256 * 1024 * 1024

        /// The most entries.
        ///
        /// The default is `nil`: no limit.
        public var countLimit: Int?

        /// The most bytes of one entry's key, metadata and body; a larger one is refused with
        /// ``StoreError/Code-swift.struct/entryTooLarge``.
        ///
        /// The default is 64 MiB. An entry can never be larger than ``byteLimit``, nor than 999,000,000 bytes.
        public var entryByteLimit: Int = 64 * 1024 * 1024

        /// The most bytes kept in memory in front of the engine; zero switches that tier off.
        ///
        /// The default is 8 MiB. An entry that would fill more than an eighth of it stays out.
        public var memoryByteLimit: Int = 8 * 1024 * 1024

        /// How bodies and metadata are encoded before they are stored.
        ///
        /// The default is ``StorageCodec/identity``.
        ///
        /// Entries written with another codec are misses, except plain and compressed ones read by a codec that is
        /// not sealed. Keys, tags and dates are stored in the clear.
        public var codec: any StorageCodec = IdentityCodec()

        /// How long to wait for another process that writes to the same file.
        ///
        /// The default is 30 seconds.
        public var busyTimeout: Duration = .seconds(30)

        /// The most connections that read at once.
        ///
        /// The default is 4; each is opened when first needed.
        public var readerLimit: Int = 4

        /// Called after the cache did something by itself, on whatever thread did it, off every lock.
        ///
        /// The default is `nil`. The closure may use the cache, except during the initializer.
        public var onEvent: (@Sendable (CacheEvent) -> Void)?

        /// Creates the default configuration.
        public init() {}
    }
}
