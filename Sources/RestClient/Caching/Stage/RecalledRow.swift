// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// A stored response that an equal call found before, with all information derived from the bytes of its row.
///
/// It may be outdated: the row in the store must still have the same bytes, and the rules decide each time.
final class RecalledRow: Sendable {
    /// Identifies a row in its store, which the row itself refers to.
    final class Identity: Sendable {}

    let identity = Identity()

    /// The store that contains the row.
    let storage: ExpiringCache
    private let key: RowKey
    /// The response, without its body.
    ///
    /// Its row identifies the body, so that the same row always has the same body.
    private let stored: StoredResponse
    /// The URL that responded; `nil` if it is that of the request, which all equal calls share.
    private let url: String?
    private let facts: CacheRequest
    /// The fields that a call receives.
    private let fields: HTTPFields

    /// Creates a row from a stored response, for a request and all equal ones.
    ///
    /// - Returns: `nil` unless the request has no special requirements, and the response is complete and was not
    ///   selected by fields of the request. Everything else is looked up each time.
    init?(
        _ stored: StoredResponse,
        in place: ResponseCache.Place,
        for request: OutgoingRequest,
        _ facts: CacheRequest,
        _ policy: CachePolicy
    ) {
        guard facts.isPlain, stored.head.status == .ok, stored.head.selecting.fields.isEmpty else {
            return nil
        }
        storage = place.store(inMemory: stored.isInMemory)
        url = stored.url(for: request)
        self.facts = facts
        key = RowKey(stored.key)
        fields = stored.fields(policy)
        var entry = stored.entry
        entry.body = Data()
        self.stored = StoredResponse(key: stored.key, head: stored.head, entry: entry, isInMemory: stored.isInMemory)
    }

    /// Returns true if an entry is the recorded row.
    private func isHeld(by entry: CacheEntry) -> Bool {
        entry.metadata == stored.entry.metadata && entry.storedAt == stored.entry.storedAt
            && entry.expiresAt == stored.entry.expiresAt
    }

    /// Returns the response if its row is unchanged and the rules allow a call to use it unchanged.
    func response(_ policy: CachePolicy, now: Date) async -> RecalledResponse? {
        guard case .use(let use) = CacheEngine.lookup(stored, request: facts, policy: policy, now: now),
            use.staleness == nil, use.delivery == .whole, let (body, companion) = await body(now)
        else {
            return nil
        }
        var response = RawResponse(status: stored.head.status, headers: fields, body: body)
        response.setAge(use.age)
        response.url = url
        return RecalledResponse(
            response: response,
            use: use,
            explanation: CacheExplanation(use, of: stored),
            row: policy.keepsModels ? self : nil,
            companion: companion
        )
    }

    /// Keeps an object that was decoded from the row's body beside it, until the row changes.
    func keep(_ companion: any AnyObject & Sendable, cost: Int) {
        storage.keep(companion, cost: cost, beside: key, where: isHeld)
    }

    /// Returns the current body of the row, with the object beside it; `nil` if the row has changed.
    private func body(_ now: Date) async -> (Data, (any AnyObject & Sendable)?)? {
        if let (entry, companion) = storage.readMemory(key, now: now, where: isHeld) {
            return (entry.body, companion)
        }
        guard let entry = try? await storage.read(key.string, now: now).entry, isHeld(by: entry) else {
            return nil
        }
        return (entry.body, nil)
    }
}
