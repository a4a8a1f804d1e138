// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials
import SharedStore

/// Metadata of a stored response, with secrets redacted.
///
/// The body is not included.
public struct CachedResponse: Sendable, Identifiable {
    /// The key of the entry in ``RestClientManager/Cache/storage``, unless it is in memory only; it reveals nothing
    /// about the request.
    public let id: String

    /// The method of the request.
    public let method: HTTPRequest.Method

    /// The URL of the request, with secret-looking query items masked.
    public let url: String

    /// The status of the response.
    public let status: HTTPResponse.Status

    /// The header fields of the response, with secrets masked.
    public let headers: HTTPFields

    /// The alias of the API operation that stored it, if any.
    public let api: String?

    /// The tags that its call set.
    public let tags: Set<String>

    /// The time at which it was stored or last confirmed.
    public let storedAt: Date

    /// The end of the caller's own time to live; `nil` if the server or the reader decides.
    public let expiresAt: Date?

    /// The time of its last use.
    public let lastUsedAt: Date

    /// Its size in bytes.
    public let byteCount: Int

    /// A Boolean value that is true if it was invalidated, and must be confirmed before it is used.
    public let isInvalidated: Bool

    /// A Boolean value that is true if it is in memory only; see ``CachePolicy/inMemory()``.
    public let isInMemory: Bool

    var path: Substring { HTTPURL.path(of: url) }

    init?(_ info: CacheEntryInfo, secret: CacheSecret, isInMemory: Bool = false) {
        guard case .response(let head) = StoredRow(decoding: info.metadata, with: secret, key: info.key) else {
            return nil
        }
        id = info.key
        method = head.method
        url = Redaction.url(head.requestURL)
        status = head.status
        headers = Redaction.masked(head.headers)
        api = info.tags.lazy.compactMap(CacheTag.apiName).min()
        tags = info.tags.filter { CacheTag.apiName($0) == nil }
        storedAt = info.storedAt
        expiresAt = info.expiresAt
        lastUsedAt = info.lastUsedAt
        byteCount = info.byteCount
        isInvalidated = head.isInvalidated
        self.isInMemory = isInMemory
    }
}
