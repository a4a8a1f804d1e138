// SPDX-License-Identifier: MIT

/// An engine of your own that keeps the entries of an ``ExpiringCache``: a dictionary, a server such as Redis, a cloud
/// store.
///
/// The cache brings expiry, tags, codecs and the memory tier; the engine only keeps entries by their keys, and may drop
/// any of them at any time, for example to stay within a limit: the limits of the cache's configuration are not applied
/// to it.
///
/// ```swift
/// actor Shelf: CacheBackend {
///     private var entries: [String: CacheEntry] = [:]
///     nonisolated var isShared: Bool { false }
///
///     func entry(for key: String) -> CacheEntry? { entries[key] }
///     func store(_ entry: CacheEntry, for key: String) { entries[key] = entry }
///     func remove(_ key: String) -> Bool { entries.removeValue(forKey: key) != nil }
///     func keys(prefix: String) -> [String] { entries.keys.filter { $0.hasPrefix(prefix) } }
/// }
/// ```
///
/// The contract:
///
/// - **Threads.** Methods are called on any thread, also concurrently. A cache never writes or removes the same key
///   twice at once; two caches may.
/// - **Atomicity.** A read returns an entry as one call of ``store(_:for:)`` wrote it, with all its parts, or `nil`. A
///   read that begins after a write or a removal has returned finds its effect, until another process writes.
/// - **Errors.** A method may throw any error. The cache throws it as ``StoreError`` with the code
///   ``StoreError/Code-swift.struct/engineFailed``. A response cache reports it as an event, and its call continues
///   without the cache. After a write that failed, the key may have the former entry, the new one, or none.
/// - **Time.** A method is called within the task of its caller, which waits for it. Throw when the task is cancelled.
/// - **Contents.** ``CacheEntry/body`` and ``CacheEntry/metadata`` are bytes without a meaning for the engine. Dates
///   must come back exactly. Keys are texts of up to a few hundred bytes.
public protocol CacheBackend: Sendable {
    /// A Boolean value that indicates whether others, such as another process, write to the same entries.
    ///
    /// True by default. If so, each read asks the engine; otherwise the memory tier of the cache responds first.
    var isShared: Bool { get }

    /// Returns an entry.
    ///
    /// - Parameter key: The key.
    /// - Returns: The entry; `nil` if there is none.
    /// - Throws: Any error if that cannot be found out.
    func entry(for key: String) async throws -> CacheEntry?

    /// Stores an entry, in place of one with the same key.
    ///
    /// - Parameters:
    ///   - entry: The entry. Its expiry is advice: an expired entry may still be of use.
    ///   - key: The key.
    /// - Throws: Any error if the entry may not have been stored.
    func store(_ entry: CacheEntry, for key: String) async throws

    /// Removes an entry.
    ///
    /// - Parameter key: The key.
    /// - Returns: True if there was one.
    /// - Throws: Any error if the entry may still be there.
    func remove(_ key: String) async throws -> Bool

    /// Lists the keys that begin with a text; it is asked when responses are invalidated, removed or listed.
    ///
    /// - Parameter prefix: The text, compared by its bytes; empty for all keys.
    /// - Returns: The keys, in any order.
    /// - Throws: Any error if they cannot be listed.
    func keys(prefix: String) async throws -> [String]
}

extension CacheBackend {
    /// True: others may write to the same entries.
    public var isShared: Bool { true }
}
