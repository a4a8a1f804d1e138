// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension ResponseCache {
    /// The number of lists of varying fields that are recorded for one request.
    private static let pointerLimit = 4

    /// Stores a response, in memory only or in the store, and removes what it replaces in the other one.
    func store(_ response: StoredResponse, under key: CacheKey) async throws {
        let place = place
        let names = response.head.selecting.names
        let row = names.isEmpty ? key.text : key.variant(response.head.selecting)
        beginStoring(inMemory: response.isInMemory)
        var entry = response.entry
        entry.metadata = try StoredRow.response(response.head).encoded(with: place.secret, key: row)
        // It comes first, so that a response in memory that is evicted never uncovers an older one.
        try await remove(row, of: key, replacedBy: response, place)
        let storage = place.store(inMemory: response.isInMemory)
        try await storage.store(entry, for: row)
        if !names.isEmpty {
            try await point(key, to: names, at: response.entry.storedAt, in: storage, place.secret)
        }
    }

    /// Removes the row of a response, and a response to all requests of its key, from the store in which it is not.
    private func remove(
        _ row: String,
        of key: CacheKey,
        replacedBy response: StoredResponse,
        _ place: Place
    ) async throws(StoreError) {
        let other = place.store(inMemory: !response.isInMemory)
        guard stores(of: place).contains(where: { $0 === other }) else {
            return
        }
        for name in row == key.text ? [row] : [row, key.text] {
            guard let metadata = try await other.metadata(of: name) else {
                continue
            }
            // A pointer leads to responses for other fields too.
            if name != row, case .pointer = StoredRow(decoding: metadata, with: place.secret, key: name) {
                continue
            }
            try await other.remove(name)
        }
    }

    /// Records the fields by which the server selects, unless they are already recorded.
    private func point(
        _ key: CacheKey,
        to names: [String],
        at now: Date,
        in storage: ExpiringCache,
        _ secret: CacheSecret
    ) async throws {
        var lists: [[String]] = []
        if let entry = try await storage.read(key.text, now: now).entry,
            case .pointer(let known) = StoredRow(decoding: entry.metadata, with: secret, key: key.text)
        {
            lists = known
        }
        guard !lists.contains(names) else {
            return
        }
        let row = StoredRow.pointer(Array(([names] + lists).prefix(Self.pointerLimit)))
        let metadata = try row.encoded(with: secret, key: key.text)
        try await storage.store(CacheEntry(body: Data(), metadata: metadata, storedAt: now), for: key.text)
    }

    /// Updates the head of a stored response; stores the whole response if its row does not exist, and does not change
    /// a row with another body.
    func refresh(_ response: StoredResponse) async throws {
        let place = place
        let storage = place.store(inMemory: response.isInMemory)
        let metadata = try StoredRow.response(response.head).encoded(with: place.secret, key: response.key)
        let change = try await storage.update(response.key) { info in
            guard case .response(let head) = StoredRow(decoding: info.metadata, with: place.secret, key: response.key),
                head.bodyID == response.head.bodyID
            else {
                return false
            }
            info.metadata = metadata
            info.storedAt = response.entry.storedAt
            info.expiresAt = response.entry.expiresAt
            return true
        }
        if change == .absent {
            try await store(response, under: CacheKey(ofRow: response.key))
        }
    }

    /// Replaces a stored body with another form of it, unless the row has a different body by then.
    ///
    /// A newer response that another process stores between the read and the write is lost, but the row stays
    /// consistent.
    func rewrite(_ response: StoredResponse, of bodyID: UInt64, under key: CacheKey) async throws -> Bool {
        let place = place
        for storage in stores(of: place) {
            let stored = try await storage.readPastMemory(response.key, now: response.entry.storedAt).entry
            guard let stored,
                case .response(let head) = StoredRow(decoding: stored.metadata, with: place.secret, key: response.key)
            else {
                continue
            }
            guard head.bodyID == bodyID else {
                return false
            }
            try await store(response, under: key)
            return true
        }
        return false
    }
}
