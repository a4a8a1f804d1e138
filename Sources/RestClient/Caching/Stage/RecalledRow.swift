// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Synchronization

/// A stored response that an equal call found before, and that may be outdated: the row in the store must still have
/// the same bytes, and the rules decide each time.
final class RecalledRow: Sendable {
    let key: CacheKey
    let facts: CacheRequest
    /// The response without its body, which its row identifies.
    let stored: StoredResponse
    private let storage: ExpiringCache
    private let row: RowKey
    private let place = Mutex<MemoryPlace?>(nil)

    /// Creates a row for a request and all equal ones; `nil` unless the request has no special requirements, and the
    /// response is complete and was not selected by fields of the request.
    init?(_ stored: StoredResponse, in place: ResponseCache.Place, _ key: CacheKey, _ facts: CacheRequest) {
        guard facts.isPlain, stored.head.status == .ok, stored.head.selecting.fields.isEmpty else {
            return nil
        }
        self.key = key
        self.facts = facts
        var entry = stored.entry
        entry.body = Data()
        self.stored = stored.holding(entry)
        storage = place.store(inMemory: stored.isInMemory)
        row = RowKey(stored.key)
    }

    /// Returns true if the row is in a store of a place, which may have been another one before.
    func isKept(in place: ResponseCache.Place) -> Bool {
        place.storage === storage || place.memory === storage
    }

    /// Returns the response as it is stored now, with the object that is kept beside it, if the row is the same and the
    /// rules allow a call to use it unchanged.
    func find(
        _ policy: CachePolicy,
        now: Date
    ) async -> (stored: StoredResponse, use: CacheUse, companion: (any AnyObject & Sendable)?)? {
        guard case .use(let use) = CacheEngine.judge(stored, facts, policy, now), use.staleness == nil,
            use.delivery == .whole
        else {
            return nil
        }
        let place = place.withLock { $0 }
        if let (held, newPlace) = storage.readMemory(row, at: place, now: now, where: isSame) {
            if let newPlace {
                self.place.withLock { $0 = newPlace }
            }
            return (stored.holding(held.entry), use, held.companion)
        }
        guard let entry = try? await storage.read(row.string, now: now).entry, isSame(entry) else {
            return nil
        }
        return (stored.holding(entry), use, nil)
    }

    /// Keeps an object that was decoded from the row's body beside it, until the row changes.
    func keep(_ companion: any AnyObject & Sendable, cost: Int) {
        storage.keep(companion, cost: cost, beside: row, where: isSame)
    }

    private func isSame(_ entry: CacheEntry) -> Bool {
        entry.metadata == stored.entry.metadata && entry.storedAt == stored.entry.storedAt
            && entry.expiresAt == stored.entry.expiresAt
    }
}

/// The model of a stored response, kept beside its bytes for calls that are equal to the one that decoded it.
final class KeptModel: Sendable {
    /// The response in the row of the calls that may receive the model: those of one request, which share their dogma.
    let stored: StoredResponse
    let model: AnyModel

    init(_ model: AnyModel, of stored: StoredResponse) {
        self.model = model
        self.stored = stored
    }
}
