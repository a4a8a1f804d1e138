// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Synchronization

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
    /// The place at which the memory held the row last.
    private let place = Mutex<MemoryPlace?>(nil)
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

    /// Returns the response if the rules allow a call to use it unchanged, with its body if the memory holds the row.
    func response(_ policy: CachePolicy, now: Date) -> RecalledResponse? {
        guard case .use(let use) = CacheEngine.judge(stored, facts, policy, now), use.staleness == nil,
            use.delivery == .whole
        else {
            return nil
        }
        let place = place.withLock { $0 }
        let found = storage.readMemory(key, at: place, now: now, where: isHeld)
        if let newPlace = found?.newPlace {
            self.place.withLock { $0 = newPlace }
        }
        return RecalledResponse(
            row: self,
            use: use,
            decidedAt: now,
            keepsModels: policy.keepsModels,
            held: found?.held
        )
    }

    /// Returns the response with its body.
    func response(_ body: Data, age: Duration) -> RawResponse {
        var parts = RawResponse.Parts(status: stored.head.status, head: .fields(fields), body: body, url: url)
        parts.setAge(age)
        return RawResponse(parts)
    }

    /// Returns the explanation of a use of the response.
    func explanation(_ use: CacheUse) -> CacheExplanation {
        CacheExplanation(use, of: stored)
    }

    /// Returns the body in the store; `nil` if the row has changed.
    func storedBody(now: Date) async -> Data? {
        guard let entry = try? await storage.read(key.string, now: now).entry, isHeld(by: entry) else {
            return nil
        }
        return entry.body
    }

    /// Keeps an object that was decoded from the row's body beside it, until the row changes.
    func keep(_ companion: any AnyObject & Sendable, cost: Int) {
        storage.keep(companion, cost: cost, beside: key, where: isHeld)
    }
}
