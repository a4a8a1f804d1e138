// SPDX-License-Identifier: MIT

public import RestEssentials

/// What an ``ExpiringCache`` keeps under a key.
public struct CacheEntry: Sendable, Equatable {
    /// The bytes themselves.
    public var body: Data

    /// A small blob beside the body, for example a validator; it can change without the body being written again.
    public var metadata: Data

    /// When the entry was made, as its writer says.
    public var storedAt: Date

    /// When the entry stops being fresh, as its writer says; `nil` for never.
    ///
    /// At that very moment it is stale.
    public var expiresAt: Date?

    /// Names under which entries are removed together.
    public var tags: Set<String>

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - metadata: A small blob beside them; the default is empty.
    ///   - storedAt: When the entry was made; the default is now.
    ///   - expiresAt: When it stops being fresh; the default is never.
    ///   - tags: Names under which it is removed together with others; the default is none.
    public init(
        body: Data,
        metadata: Data = Data(),
        storedAt: Date = Date(),
        expiresAt: Date? = nil,
        tags: Set<String> = []
    ) {
        self.body = body
        self.metadata = metadata
        self.storedAt = storedAt
        self.expiresAt = expiresAt
        self.tags = tags
    }
}
