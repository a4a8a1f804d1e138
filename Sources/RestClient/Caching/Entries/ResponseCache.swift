// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Synchronization

/// Stores responses by request, in an expiring cache.
final class ResponseCache: Sendable {
    /// The result of a lookup of a stored response.
    enum Found: Sendable {
        case response(StoredResponse)
        case nothing(CacheMissReason)
    }

    /// The store of the responses, and its secret.
    struct Place: Sendable {
        let storage: ExpiringCache
        let secret: CacheSecret
    }

    private struct State {
        var place: Place
        var invalidations = InvalidationLog()
    }

    /// The number of lists of varying fields that are recorded for one request.
    private static let pointerLimit = 4

    private let state: Mutex<State>
    private let isInUse = Atomic<Bool>(false)

    init(storage: ExpiringCache) {
        state = Mutex(State(place: Place(storage: storage, secret: .random())))
    }

    /// The current place of the responses; it changes when the manager receives a directory.
    var place: Place { state.withLock { $0.place } }

    /// The current store of the responses.
    var storage: ExpiringCache { state.withLock { $0.place.storage } }

    /// Moves to another place, which may already contain responses.
    func move(to place: Place) {
        state.withLock { state in
            state.place = place
            state.invalidations.invalidateAll()
        }
        isInUse.store(true, ordering: .relaxed)
    }

    /// True if there may be responses to invalidate, or requests under way whose responses may be stored.
    var mayHoldResponses: Bool { isInUse.load(ordering: .relaxed) }

    // MARK: - Reading

    /// Returns the response that a request selects by its fields, which must be complete; the disk is read if another
    /// process may just have stored a response.
    func find(
        _ key: CacheKey,
        selectedBy request: OutgoingRequest,
        now: Date,
        pastMemory: Bool = false
    ) async throws(StoreError) -> Found {
        func read(_ key: String) async throws(StoreError) -> CacheEntry? {
            let storage = place.storage
            return try await pastMemory
                ? storage.readPastMemory(key, now: now).entry : storage.read(key, now: now).entry
        }

        let place = place
        guard let entry = try await read(key.text) else {
            return .nothing(.absent)
        }
        switch StoredRow(decoding: entry.metadata, with: place.secret, key: key.text) {
        case nil:
            return .nothing(.unreadable)
        case .response(let head):
            return .response(StoredResponse(key: key.text, head: head, entry: entry))
        case .pointer(let lists):
            let secrets = request.call.policy.secretFields
            for names in lists {
                let selecting = SelectingFields(
                    names,
                    of: request.headers,
                    secrets: secrets,
                    digest: place.secret.digest
                )
                let variant = key.variant(selecting)
                if let entry = try await read(variant),
                    case .response(let head) = StoredRow(decoding: entry.metadata, with: place.secret, key: variant),
                    head.selecting == selecting
                {
                    return .response(StoredResponse(key: variant, head: head, entry: entry))
                }
            }
            return .nothing(.variant)
        }
    }

    /// Returns true if the cache would respond to a request without the network.
    func responds(to request: OutgoingRequest, now: Date) async -> Bool {
        if await responds(to: request, as: request.method, now: now) {
            return true
        }
        // A response to GET satisfies a HEAD too (RFC 9111, section 4).
        return request.method == .head ? await responds(to: request, as: .get, now: now) : false
    }

    private func responds(to request: OutgoingRequest, as method: HTTPRequest.Method, now: Date) async -> Bool {
        let key = CacheKey(method, request, secret: place.secret)
        guard case .response(let stored) = try? await find(key, selectedBy: request, now: now) else {
            return false
        }
        let lookup = CacheEngine.lookup(
            stored,
            request: CacheRequest(method: request.method, headers: request.headers),
            policy: request.call.policy.cache,
            now: now
        )
        if case .use = lookup {
            return true
        }
        return false
    }

    // MARK: - Writing

    /// The current moment.
    var moment: InvalidationLog.Moment { state.withLock { $0.invalidations.now } }

    /// Returns the current moment, before a request is sent whose response may be stored: a change of its resource
    /// counts from now on, although nothing is stored yet.
    func momentBeforeRequest() -> InvalidationLog.Moment {
        isInUse.store(true, ordering: .relaxed)
        return moment
    }

    /// Stores a response.
    func store(_ response: StoredResponse, under key: CacheKey) async throws {
        let place = place
        isInUse.store(true, ordering: .relaxed)
        var entry = response.entry
        let names = response.head.selecting.names
        let row = names.isEmpty ? key.text : key.variant(response.head.selecting)
        entry.metadata = try StoredRow.response(response.head).encoded(with: place.secret, key: row)
        try await place.storage.store(entry, for: row)
        if !names.isEmpty {
            try await point(key, to: names, at: response.entry.storedAt, in: place)
        }
    }

    /// Records the fields by which the server selects, unless they are already recorded.
    private func point(_ key: CacheKey, to names: [String], at now: Date, in place: Place) async throws {
        var lists: [[String]] = []
        if let entry = try await place.storage.read(key.text, now: now).entry,
            case .pointer(let known) = StoredRow(decoding: entry.metadata, with: place.secret, key: key.text)
        {
            lists = known
        }
        guard !lists.contains(names) else {
            return
        }
        let row = StoredRow.pointer(Array(([names] + lists).prefix(Self.pointerLimit)))
        let metadata = try row.encoded(with: place.secret, key: key.text)
        try await place.storage.store(CacheEntry(body: Data(), metadata: metadata, storedAt: now), for: key.text)
    }

    /// Updates the head of a stored response; stores the whole response if its row does not exist, and does not change
    /// a row with another body.
    func refresh(_ response: StoredResponse) async throws {
        let place = place
        let metadata = try StoredRow.response(response.head).encoded(with: place.secret, key: response.key)
        let change = try await place.storage.update(response.key) { info in
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
            var entry = response.entry
            entry.metadata = metadata
            try await place.storage.store(entry, for: response.key)
        }
    }

    /// Replaces a stored body with another form of it, unless the row has a different body by then.
    ///
    /// A newer response that another process stores between the read and the write is lost, but the row stays
    /// consistent.
    func rewrite(_ response: StoredResponse, of bodyID: UInt64, under key: CacheKey) async throws -> Bool {
        let place = place
        let stored = try await place.storage.readPastMemory(response.key, now: response.entry.storedAt).entry
        guard let stored,
            case .response(let head) = StoredRow(decoding: stored.metadata, with: place.secret, key: response.key),
            head.bodyID == bodyID
        else {
            return false
        }
        try await store(response, under: key)
        return true
    }

    /// Returns true if a response that was requested at a moment may be stored: the resource has not changed since.
    func allows(_ key: CacheKey, askedAt moment: InvalidationLog.Moment) -> Bool {
        state.withLock { $0.invalidations.allows(key.urlPrefix, askedAt: moment) }
    }

    // MARK: - Invalidating and removing

    /// Invalidates all stored responses of URLs; returns their number.
    @discardableResult
    func invalidate(_ urls: [String]) async throws(StoreError) -> Int {
        var count = 0
        for prefix in Set(urls.map(CacheKey.prefix)) {
            let storage = state.withLock { state in
                state.invalidations.invalidate(prefix)
                return state.place.storage
            }
            count += try await storage.updateAll(prefix: prefix) { info in
                guard let marked = StoredRow.invalidated(info.metadata) else {
                    return false
                }
                info.metadata = marked
                return true
            }
        }
        return count
    }

    /// Prevents responses requested earlier from being stored; returns the current place.
    func beginInvalidatingAll() -> Place {
        state.withLock { state in
            state.invalidations.invalidateAll()
            return state.place
        }
    }

    /// Removes the response that a request selects, and those for requests that differ only in the selecting fields;
    /// `false` if there are none.
    func remove(_ key: CacheKey) async throws(StoreError) -> Bool {
        try await place.storage.removeAll(prefix: key.text) > 0
    }
}
