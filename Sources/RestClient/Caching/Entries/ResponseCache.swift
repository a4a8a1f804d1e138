// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Synchronization

final class ResponseCache: Sendable {
    /// The stored response that a request selects, or the reason why there is none.
    typealias Found = (stored: StoredResponse?, absence: CacheMissReason)

    struct Place: Sendable {
        let storage: ExpiringCache
        /// The store of the responses that are in memory only; it is read first.
        let memory: ExpiringCache
        let secret: CacheSecret
        let directory: URL?

        init(storage: ExpiringCache, secret: CacheSecret, directory: URL? = nil) {
            self.storage = storage
            self.secret = secret
            self.directory = directory
            memory = storage.makeMemoryOnly()
        }

        func store(inMemory isInMemory: Bool) -> ExpiringCache {
            isInMemory ? memory : storage
        }
    }

    private struct State {
        var place: Place
        var invalidations = InvalidationLog()
        var writes = WritesUnderWay()
        var waiters = Waiters<WritesUnderWay.InvalidationID, Void>()
    }

    private let state: Mutex<State>
    private let isInUse = Atomic<Bool>(false)
    private let isMemoryInUse = Atomic<Bool>(false)

    let now: @Sendable () -> Date

    init(storage: ExpiringCache, now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
        state = Mutex(State(place: Place(storage: storage, secret: .random())))
    }

    /// Returns an empty cache in memory with the same limits; with those by default if this one keeps none in memory.
    func makeMemoryOnly() -> ResponseCache {
        let storage = place.storage
        return ResponseCache(
            storage: storage.memoryByteLimit > 0 ? storage.makeMemoryOnly() : ExpiringCache(),
            now: now
        )
    }

    var place: Place { state.withLock { $0.place } }

    /// Moves to another place, which may already contain responses.
    func move(to place: Place) {
        state.withLock { state in
            state.place = place
            state.invalidations.invalidateAll()
        }
        isInUse.store(true, ordering: .relaxed)
    }

    func stores(of place: Place) -> [ExpiringCache] {
        isMemoryInUse.load(ordering: .acquiring) ? [place.memory, place.storage] : [place.storage]
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
        let place = place
        var reason = CacheMissReason.absent
        for storage in stores(of: place) {
            let found = try await find(key, in: storage, of: place, selectedBy: request, now, pastMemory)
            guard found.stored == nil else {
                return found
            }
            reason = found.absence == .absent ? reason : found.absence
        }
        return (nil, reason)
    }

    private func find(
        _ key: CacheKey,
        in storage: ExpiringCache,
        of place: Place,
        selectedBy request: OutgoingRequest,
        _ now: Date,
        _ pastMemory: Bool
    ) async throws(StoreError) -> Found {
        func read(_ key: String) async throws(StoreError) -> CacheEntry? {
            try await pastMemory
                ? storage.readPastMemory(key, now: now).entry : storage.read(key, now: now).entry
        }
        func found(_ key: String, _ head: StoredHead, _ entry: CacheEntry) -> Found {
            (StoredResponse(key: key, head: head, entry: entry, isInMemory: storage === place.memory), .absent)
        }

        guard let entry = try await read(key.text) else {
            return (nil, .absent)
        }
        switch StoredRow(decoding: entry.metadata, with: place.secret, key: key.text) {
        case nil:
            return (nil, .unreadable)
        case .response(let head):
            return found(key.text, head, entry)
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
                    return found(variant, head, entry)
                }
            }
            return (nil, .variant)
        }
    }

    func responds(to request: OutgoingRequest, now: Date) async -> Bool {
        if await responds(to: request, as: request.method, now: now) {
            return true
        }
        // A response to GET satisfies a HEAD too (RFC 9111, section 4).
        return request.method == .head ? await responds(to: request, as: .get, now: now) : false
    }

    private func responds(to request: OutgoingRequest, as method: HTTPRequest.Method, now: Date) async -> Bool {
        let key = CacheKey(method, request, secret: place.secret)
        let facts = CacheRequest(method: request.method, headers: request.headers)
        guard let stored = try? await find(key, selectedBy: request, now: now).stored,
            case .use = CacheEngine.judge(stored, facts, request.call.policy.cache, now)
        else {
            return false
        }
        return true
    }

    // MARK: - Writing

    var moment: InvalidationLog.Moment { state.withLock { $0.invalidations.now } }

    /// Returns the current moment, before a request is sent whose response may be stored: a change of its resource
    /// counts from now on, although nothing is stored yet.
    func momentBeforeRequest() -> InvalidationLog.Moment {
        isInUse.store(true, ordering: .relaxed)
        return moment
    }

    func beginStoring(inMemory isInMemory: Bool) {
        isInUse.store(true, ordering: .relaxed)
        if isInMemory {
            isMemoryInUse.store(true, ordering: .releasing)
        }
    }

    /// Writes a response that was requested at a moment, unless its resource has changed since; an invalidation that
    /// begins meanwhile waits for the end of the write.
    func write<Value: Sendable>(
        _ key: CacheKey,
        askedAt moment: InvalidationLog.Moment,
        _ write: () async throws -> Value
    ) async throws -> Value? {
        let id = state.withLock { state in
            state.invalidations.allows(key.urlPrefix, askedAt: moment) ? state.writes.begin(key.urlPrefix) : nil
        }
        guard let id else {
            return nil
        }
        defer { endWrite(id) }
        return try await write()
    }

    private func endWrite(_ id: WritesUnderWay.WriteID) {
        let wakeups = state.withLock { state in
            state.writes.end(id).compactMap { state.waiters.settle($0, with: ()) }
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    /// Waits for the writes before an invalidation.
    ///
    /// It takes no longer than the disk, and ignores the cancellation of the task: the resource has changed.
    private func wait(_ id: WritesUnderWay.InvalidationID?) async {
        guard let id else {
            return
        }
        await Waiters<WritesUnderWay.InvalidationID, Void>
            .wait { continuation in
                state.withLock { $0.waiters.park(id, continuation) }
            } onCancel: {
                nil
            }
    }

    // MARK: - Invalidating and removing

    @discardableResult
    func invalidate(_ urls: [String], at date: Date) async throws(StoreError) -> Int {
        var count = 0
        for prefix in Set(urls.map(CacheKey.prefix)) {
            let place = await beginInvalidating(prefix)
            for storage in stores(of: place) {
                count += try await Self.invalidate(in: storage, prefix: prefix, at: date)
            }
        }
        return count
    }

    static func invalidate(
        in storage: ExpiringCache,
        prefix: String = "",
        tag: String? = nil,
        at date: Date,
        where isChosen: (CacheEntryInfo) -> Bool = { _ in true }
    ) async throws(StoreError) -> Int {
        var former = 0
        let changed = try await storage.updateAll(prefix: prefix, tag: tag) { info in
            guard isChosen(info), let marked = StoredRow.invalidated(info.metadata, at: date) else {
                return false
            }
            former += marked.wasValid ? 0 : 1
            info.metadata = marked.bytes
            return true
        }
        return max(0, changed - former)
    }

    /// Prevents responses requested earlier from being stored, and waits for those that are being stored.
    func beginInvalidating(_ prefix: String? = nil) async -> Place {
        let (place, writes) = state.withLock { state in
            if let prefix {
                state.invalidations.invalidate(prefix)
            } else {
                state.invalidations.invalidateAll()
            }
            return (state.place, state.writes.wait(for: prefix))
        }
        await wait(writes)
        return place
    }

    /// Removes the response that a request selects, and those for requests that differ only in the selecting fields;
    /// `false` if there are none.
    func remove(_ key: CacheKey) async throws(StoreError) -> Bool {
        var count = 0
        for storage in stores(of: place) {
            count += try await storage.removeAll(prefix: key.text)
        }
        return count > 0
    }
}

/// The writes of responses that are under way, and the invalidations that wait for them, because the row of a response
/// that was requested before would escape them: a pure value.
struct WritesUnderWay: Sendable {
    typealias WriteID = UInt64
    typealias InvalidationID = UInt64

    private var writes: [(id: WriteID, prefix: String)] = []
    private var awaited: [(id: InvalidationID, writes: Set<WriteID>)] = []
    private var last: UInt64 = 0

    mutating func begin(_ prefix: String) -> WriteID {
        last += 1
        writes.append((last, prefix))
        return last
    }

    /// Removes a write that has ended; returns the invalidations for which it was the last one.
    mutating func end(_ write: WriteID) -> [InvalidationID] {
        writes.removeAll { $0.id == write }
        guard !awaited.isEmpty else {
            return []
        }
        for index in awaited.indices {
            awaited[index].writes.remove(write)
        }
        let ready = awaited.filter(\.writes.isEmpty).map(\.id)
        awaited.removeAll { $0.writes.isEmpty }
        return ready
    }

    /// Adds an invalidation of the URLs with a prefix, or of all URLs; returns `nil` if it need not wait.
    mutating func wait(for prefix: String?) -> InvalidationID? {
        let own = writes.filter { prefix == nil || $0.prefix == prefix }
        guard !own.isEmpty else {
            return nil
        }
        last += 1
        awaited.append((last, Set(own.map(\.id))))
        return last
    }
}

/// Records invalidated URLs, so that a response requested before the invalidation is not stored, because it may show
/// the earlier state.
struct InvalidationLog: Sendable {
    struct Moment: Sendable, Comparable {
        fileprivate var number: UInt64 = 0

        static func < (left: Moment, right: Moment) -> Bool {
            left.number < right.number
        }
    }

    static let limit = 1_024

    private(set) var now = Moment()

    private var latest: [String: Moment] = [:]
    /// The moment at which everything, or a URL that is no longer recorded, was invalidated.
    private var floor = Moment()

    mutating func invalidate(_ prefix: String) {
        now.number += 1
        if latest.count >= Self.limit {
            latest.removeAll(keepingCapacity: true)
            floor = now
        }
        latest[prefix] = now
    }

    mutating func invalidateAll() {
        now.number += 1
        latest.removeAll()
        floor = now
    }

    func allows(_ prefix: String, askedAt moment: Moment) -> Bool {
        moment >= floor && latest[prefix].map { moment >= $0 } ?? true
    }
}
