// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

extension ExpiringCache {
    /// Reads an entry and notes its use.
    ///
    /// - Parameters:
    ///   - key: The entry's key; keys are compared by their bytes.
    ///   - maxAge: The maximum age of a fresh entry, inclusive; `nil` and zero accept any age. An entry whose own
    ///     expiry has passed is stale in any case.
    ///   - now: The time of the read. Defaults to the system's clock.
    /// - Returns: The entry as fresh or stale, or a miss. An entry stored in the future is stale, as its age is
    ///   unknown.
    /// - Throws: ``StoreError`` if the file cannot be read, or if the codec has no key or memory at the moment. A
    ///   damaged entry is a miss, and is removed.
    public func read(
        _ key: String,
        maxAge: Duration? = nil,
        now: Date = Date()
    ) async throws(StoreError) -> CacheRead {
        switch lookUp(key, maxAge, now) {
        case .found(let read): return read
        case .load(let load): return try await read(load, maxAge, now)
        }
    }

    /// Reads an entry from the engine, bypassing the memory tier, because another process may just have stored it.
    package func readPastMemory(_ key: String, now: Date) async throws(StoreError) -> CacheRead {
        let key = RowKey(key)
        return try await read(state.withLock { load(key, &$0) }, nil, now)
    }

    /// Reads an entry and notes its use, on the calling thread.
    ///
    /// Works like ``read(_:maxAge:now:)``, for code that is not asynchronous. An entry in memory is returned directly.
    /// Any other entry, even a large one, is read on the calling thread: prefer `read` where you can suspend. An engine
    /// of your own (``CacheBackend``) cannot be read in this way.
    ///
    /// - Parameters:
    ///   - key: The entry's key; keys are compared by their bytes.
    ///   - maxAge: The maximum age of a fresh entry, inclusive; `nil` and zero accept any age.
    ///   - now: The time of the read. Defaults to the system's clock.
    /// - Returns: The entry as fresh or stale, or a miss.
    /// - Throws: ``StoreError`` if the file cannot be read, or if the codec has no key or memory at the moment. A
    ///   damaged entry is a miss, and is removed.
    public func readNow(
        _ key: String,
        maxAge: Duration? = nil,
        now: Date = Date()
    ) throws(StoreError) -> CacheRead {
        switch lookUp(key, maxAge, now) {
        case .found(let read): return read
        case .load(let load):
            var version: UInt64?
            do throws(StoreError) {
                guard let backing = load.engine.backing else {
                    throw StoreError(
                        .engineFailed,
                        "a custom engine cannot be used synchronously",
                        advice: "Use the asynchronous methods of the cache."
                    )
                }
                let row = try backing.rowNow(load.key.string, in: .cache)
                version = row?.version
                return try finish(load, row, maxAge, now)
            } catch {
                try recoverNow(from: error, version, of: load)
                return missed()
            }
        }
    }

    /// Returns an entry that can be read without the disk if it is the expected one, and notes its use; otherwise
    /// nothing is counted, because another read follows.
    ///
    /// As long as the entry is at its `place`, it is found without its key, and is not compared; another place is
    /// returned. `isExpected` is called under the lock of the cache.
    package func readMemory(
        _ key: RowKey,
        at place: MemoryPlace?,
        now: Date,
        where isExpected: (CacheEntry) -> Bool
    ) -> (held: HeldEntry, newPlace: MemoryPlace?)? {
        enum Result {
            case held(HeldEntry, MemoryPlace?)
            case engine(Load)
            case none
        }
        let result = state.withLock { state -> Result in
            guard state.isTierReliable, let found = state.tier.use(key, foundAt: place, now: now),
                let held = state.tier[found]
            else {
                return state.isInMemory ? .engine(load(key, &state)) : .none
            }
            guard found == place || isExpected(held.entry) else {
                return .none
            }
            count(isFresh: isFresh(held.entry, nil, now), &state)
            state.statistics.memoryHits += 1
            return .held(held, found == place ? nil : found)
        }
        switch result {
        case .held(let held, let place):
            return (held, place)
        case .none:
            return nil
        case .engine(let load):
            // A row in memory cannot be damaged.
            guard let row = try? load.engine.backing?.rowNow(key.string, in: .cache),
                let entry = try? coder.entry(row, key: key.string), isExpected(entry)
            else {
                return nil
            }
            _ = keep(entry, row.version, of: load, nil, now)
            return (HeldEntry(entry), nil)
        }
    }

    /// Keeps an object that was derived from an entry beside it in the memory tier, if there is room for `cost` bytes,
    /// in place of the former one.
    ///
    /// `isExpected` is called under the lock of the cache.
    package func keep(
        _ object: any AnyObject & Sendable,
        cost: Int,
        beside key: RowKey,
        where isExpected: (CacheEntry) -> Bool
    ) {
        state.withLock { state in
            guard state.isTierReliable, let entry = state.tier.peek(key), isExpected(entry) else {
                return
            }
            state.tier.keep(object, cost: cost, beside: key)
        }
    }

    // MARK: - Memory

    private enum LookUp {
        case found(CacheRead)
        case load(Load)
    }

    struct Load {
        let key: RowKey
        let engine: Engine
        let ticket: MemoryTier.LoadTicket
    }

    private func lookUp(_ key: String, _ maxAge: Duration?, _ now: Date) -> LookUp {
        let key = RowKey(key)
        return state.withLock { state -> LookUp in
            guard state.isTierReliable, let entry = state.tier.entry(for: key, now: now) else {
                return .load(load(key, &state))
            }
            let read = judge(entry, maxAge, now)
            count(read, &state)
            state.statistics.memoryHits += 1
            return .found(read)
        }
    }

    private func load(_ key: RowKey, _ state: inout State) -> Load {
        Load(key: key, engine: state.engine, ticket: state.tier.beginLoad(of: key))
    }

    private func judge(_ entry: CacheEntry, _ maxAge: Duration?, _ now: Date) -> CacheRead {
        isFresh(entry, maxAge, now) ? .fresh(entry) : .stale(entry)
    }

    private func isFresh(_ entry: CacheEntry, _ maxAge: Duration?, _ now: Date) -> Bool {
        Freshness.isFresh(storedAt: entry.storedAt, expiresAt: entry.expiresAt, maxAge: maxAge, now: now)
    }

    private func count(_ read: CacheRead, _ state: inout State) {
        switch read {
        case .fresh: count(isFresh: true, &state)
        case .stale: count(isFresh: false, &state)
        case .miss: state.statistics.misses += 1
        }
    }

    private func count(isFresh: Bool, _ state: inout State) {
        if isFresh {
            state.statistics.hits += 1
        } else {
            state.statistics.staleHits += 1
        }
    }

    private func missed() -> CacheRead {
        state.withLock { $0.statistics.misses += 1 }
        return .miss
    }

    // MARK: - Engine

    private func read(_ load: Load, _ maxAge: Duration?, _ now: Date) async throws(StoreError) -> CacheRead {
        var version: UInt64?
        do throws(StoreError) {
            let row = try await load.engine.rows.row(load.key.string, in: .cache)
            version = row?.version
            return try finish(load, row, maxAge, now)
        } catch {
            try await recover(from: error, version, of: load)
            return missed()
        }
    }

    private func finish(_ load: Load, _ row: Row?, _ maxAge: Duration?, _ now: Date) throws(StoreError) -> CacheRead {
        guard let row else {
            return missed()
        }
        return keep(try coder.entry(row, key: load.key.string), row.version, of: load, maxAge, now)
    }

    private func keep(
        _ entry: CacheEntry,
        _ version: UInt64,
        of load: Load,
        _ maxAge: Duration?,
        _ now: Date
    ) -> CacheRead {
        let read = judge(entry, maxAge, now)
        let touches = state.withLock { state -> [(key: String, at: Date)] in
            count(read, &state)
            state.tier.endLoad(load.ticket, key: load.key, entry: entry, version: version, now: now)
            // Recording a use costs as much as the read itself, and matters only near the limits.
            guard state.isNearLimit, state.tier.isFullOfTouches else {
                return []
            }
            return state.tier.takeTouches()
        }
        if !touches.isEmpty { load.engine.backing?.touchLater(touches, in: .cache) }
        return read
    }
}

/// The rule that decides whether an entry is fresh: a pure function of its inputs.
enum Freshness {
    /// Returns true if an entry has reached neither the writer's limit nor the reader's.
    ///
    /// It is stale from `expiresAt` on; `maxAge` is inclusive, and zero and less set no limit. If `storedAt` is in the
    /// future, the age is unknown, so the entry is stale.
    static func isFresh(storedAt: Date, expiresAt: Date?, maxAge: Duration?, now: Date) -> Bool {
        let age = now.timeIntervalSince(storedAt)
        guard age >= 0 else {
            return false
        }
        if let expiresAt, now >= expiresAt { return false }
        if let maxAge, maxAge > .zero, age > maxAge.timeInterval { return false }
        return true
    }
}
