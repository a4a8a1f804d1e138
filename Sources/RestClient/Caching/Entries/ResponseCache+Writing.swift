// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension ResponseCache {
    private static let pointerLimit = 4

    /// Stores a response, in memory only or in the store, and removes what it replaces in the other one.
    ///
    /// `mayReplace` is asked about what is stored when the response is written, also by another process; by default
    /// nothing older replaces something newer. Returns true if it was stored.
    func store(
        _ response: StoredResponse,
        under key: CacheKey,
        if mayReplace: ((StoredHead?) -> Bool)? = nil
    ) async throws -> Bool {
        let now = now()
        let mayReplace = mayReplace ?? { $0?.isReplaceable(by: response.head, now: now) ?? true }
        let place = place
        let names = response.head.selecting.names
        let row = names.isEmpty ? key.text : key.variant(response.head.selecting)
        beginStoring(inMemory: response.isInMemory)
        var entry = response.entry
        entry.metadata = try StoredRow.response(response.head).encoded(with: place.secret, key: row)
        // It comes first, so that a response in memory that is evicted never uncovers an older one.
        guard try await remove(row, of: key, replacedBy: response, place) else {
            return false
        }
        let storage = place.store(inMemory: response.isInMemory)
        let isStored = try await storage.store(for: row) { info in
            switch info.flatMap({ StoredRow(decoding: $0.metadata, with: place.secret, key: row) }) {
            case nil: mayReplace(nil) ? entry : nil
            case .response(let head): mayReplace(head) ? entry : nil
            case .pointer: Self.isNewer(response, than: info, now) ? entry : nil
            }
        }
        if isStored, !names.isEmpty {
            try await point(key, to: names, for: response, in: storage, place.secret)
        }
        return isStored
    }

    private static func isNewer(_ response: StoredResponse, than pointer: CacheEntryInfo?, _ now: Date) -> Bool {
        guard let written = pointer?.storedAt else {
            return true
        }
        return written <= response.head.requestTime || written > now
    }

    /// Removes the row of a response, and a response to all requests of its key, from the store in which it is not.
    ///
    /// - Returns: False if a newer response is there.
    private func remove(
        _ row: String,
        of key: CacheKey,
        replacedBy response: StoredResponse,
        _ place: Place
    ) async throws(StoreError) -> Bool {
        let other = place.store(inMemory: !response.isInMemory)
        guard stores(of: place).contains(where: { $0 === other }) else {
            return true
        }
        for name in row == key.text ? [row] : [row, key.text] {
            guard let metadata = try await other.metadata(of: name) else {
                continue
            }
            switch StoredRow(decoding: metadata, with: place.secret, key: name) {
            case .response(let head) where !head.isReplaceable(by: response.head, now: now()):
                return false
            case .pointer where name != row:
                // A pointer leads to responses for other fields too.
                continue
            case .response, .pointer, nil:
                try await other.remove(name)
            }
        }
        return true
    }

    private func point(
        _ key: CacheKey,
        to names: [String],
        for response: StoredResponse,
        in storage: ExpiringCache,
        _ secret: CacheSecret
    ) async throws {
        func lists(_ metadata: Data?) -> [[String]] {
            guard let metadata, case .pointer(let lists) = StoredRow(decoding: metadata, with: secret, key: key.text)
            else {
                return []
            }
            return lists
        }
        let known = try await storage.read(key.text, now: response.entry.storedAt).entry
        guard !lists(known?.metadata).contains(names) else {
            return
        }
        _ = try await storage.store(for: key.text) { info in
            if let info,
                case .response(let head) = StoredRow(decoding: info.metadata, with: secret, key: key.text),
                !head.isReplaceable(by: response.head, now: now())
            {
                return nil
            }
            let others = lists(info?.metadata).filter { $0 != names }
            let row = StoredRow.pointer(Array(([names] + others).prefix(Self.pointerLimit)))
            let metadata = try? row.encoded(with: secret, key: key.text)
            return metadata.map { CacheEntry(body: Data(), metadata: $0, storedAt: response.head.requestTime) }
        }
    }

    /// Updates the head of a stored response; stores the whole response if its row does not exist, and does not change
    /// a row with another body, or with what was learnt of it by a later request.
    func refresh(_ response: StoredResponse) async throws -> Bool {
        let place = place
        let storage = place.store(inMemory: response.isInMemory)
        let metadata = try StoredRow.response(response.head).encoded(with: place.secret, key: response.key)
        let change = try await storage.update(response.key) { info in
            guard case .response(let head) = StoredRow(decoding: info.metadata, with: place.secret, key: response.key),
                head.bodyID == response.head.bodyID, head.isReplaceable(by: response.head, now: now())
            else {
                return false
            }
            info.metadata = metadata
            info.storedAt = response.entry.storedAt
            info.expiresAt = response.entry.expiresAt
            return true
        }
        switch change {
        case .changed: return true
        case .left: return false
        case .absent: return try await store(response, under: CacheKey(ofRow: response.key))
        }
    }

    /// Replaces a stored body with another form of it, unless the row has a different body by then.
    func rewrite(_ response: StoredResponse, of bodyID: UInt64, under key: CacheKey) async throws -> Bool {
        try await store(response, under: key) { $0?.bodyID == bodyID }
    }
}
