// SPDX-License-Identifier: MIT

import RestEssentials

/// The memory tier of a cache: a least-recently-used list, limited by bytes.
///
/// It must never return an entry older than the one in the engine. Two rules ensure that: a load counts only if nothing
/// touched the key's stripe since it began, and a store counts only if no later removal in the stripe is known.
struct MemoryTier {
    /// The proof that a load was not overtaken; without it the result is not kept.
    struct LoadTicket: Sendable {
        fileprivate let stripe: Int
        fileprivate let generation: UInt64
    }

    private struct Node {
        let key: RowKey
        let version: UInt64
        /// The bytes of the entry with its key.
        let cost: Int
        /// The bytes for which the object beside the entry counts; zero without one.
        var companionCost = 0
    }

    /// The part of a node that each read changes, including in its neighbours; stored apart, for locality.
    private struct Use {
        var lastUsedAt: Date
        var isTouched: Bool
        /// The number of the node among all that were ever inserted; zero for none.
        var serial: UInt64
        var newer: Int32 = -1
        var older: Int32 = -1
    }

    private struct Stripe {
        var generation: UInt64 = 0
        var removedUpTo: UInt64 = 0
    }

    private static let stripeCount = 64

    private let byteLimit: Int
    private var indices: [RowKey: Int] = [:]
    private var nodes = Slab<Node>()
    private var entries: [HeldEntry?] = []
    private var uses: [Use] = []
    private var lastSerial: UInt64 = 0
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    private var stripes = [Stripe](repeating: Stripe(), count: MemoryTier.stripeCount)
    /// Keys used since the last ``takeTouches()``, for nodes whose `isTouched` is true.
    private var touchedNodes: [RowKey] = []
    private var otherTouches: [RowKey: Date] = [:]
    private(set) var byteCount = 0

    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    // MARK: - Reading

    mutating func entry(for key: RowKey, now: Date) -> CacheEntry? {
        use(key, now: now).flatMap { self[$0]?.entry }
    }

    /// If an entry with that key is still at the place, the key is neither hashed nor compared.
    mutating func use(_ key: RowKey, foundAt place: MemoryPlace? = nil, now: Date) -> MemoryPlace? {
        guard let index = index(of: place) ?? indices[key] else {
            return nil
        }
        uses[index].lastUsedAt = now
        if !uses[index].isTouched {
            uses[index].isTouched = true
            touchedNodes.append(key)
        }
        if index != newest {
            unlink(index)
            linkAsNewest(index)
        }
        return MemoryPlace(index: index, serial: uses[index].serial)
    }

    subscript(place: MemoryPlace) -> HeldEntry? {
        index(of: place).flatMap { entries[$0] }
    }

    private func index(of place: MemoryPlace?) -> Int? {
        guard let place, place.index < uses.count, uses[place.index].serial == place.serial else {
            return nil
        }
        return place.index
    }

    /// Returns an entry without recording a use.
    func peek(_ key: RowKey) -> CacheEntry? {
        indices[key].flatMap { entries[$0]?.entry }
    }

    /// Keeps an object of that many bytes beside an entry, for which others make room, unless both together would fill
    /// more than an eighth of the tier.
    mutating func keep(_ companion: any AnyObject & Sendable, cost: Int, beside key: RowKey) {
        guard let index = indices[key], let entry = entries[index]?.entry, let node = nodes[index] else {
            return
        }
        if index != newest {
            unlink(index)
            linkAsNewest(index)
        }
        let isKept = node.cost + cost <= byteLimit / 8
        entries[index] = HeldEntry(entry, companion: isKept ? companion : nil)
        nodes.update(index) { $0.companionCost = isKept ? cost : 0 }
        byteCount += (isKept ? cost : 0) - node.companionCost
        while byteCount > byteLimit, let victim = nodes[Int(oldest)] { remove(victim.key) }
    }

    func beginLoad(of key: RowKey) -> LoadTicket {
        let stripe = Self.stripe(of: key)
        return LoadTicket(stripe: stripe, generation: stripes[stripe].generation)
    }

    mutating func endLoad(_ ticket: LoadTicket, key: RowKey, entry: CacheEntry, version: UInt64, now: Date) {
        if stripes[ticket.stripe].generation == ticket.generation,
            insert(key, entry, version, now: now, isTouched: true)
        {
            return
        }
        noteOtherUse(of: key, at: now)
    }

    // MARK: - Writing

    mutating func stored(_ entry: CacheEntry, for key: RowKey, version: UInt64) {
        let stripe = Self.stripe(of: key)
        stripes[stripe].generation += 1
        guard version > stripes[stripe].removedUpTo else {
            return
        }
        if let node = node(of: key), node.version > version { return }
        remove(key)
        otherTouches[key] = nil
        _ = insert(key, entry, version, now: entry.storedAt, isTouched: false)
    }

    /// Drops an entry that was removed or changed by this version.
    mutating func invalidated(_ key: RowKey, version: UInt64) {
        let stripe = Self.stripe(of: key)
        stripes[stripe].generation += 1
        stripes[stripe].removedUpTo = max(stripes[stripe].removedUpTo, version)
        if let node = node(of: key), node.version <= version { remove(key) }
    }

    /// Drops everything that was written up to this version.
    mutating func invalidatedAll(upTo version: UInt64) {
        for stripe in stripes.indices {
            stripes[stripe].generation += 1
            stripes[stripe].removedUpTo = max(stripes[stripe].removedUpTo, version)
        }
        for node in indices.values.compactMap({ nodes[$0] }) where node.version <= version { remove(node.key) }
    }

    /// Drops every entry, because other processes may have changed any of them, but keeps the uses.
    mutating func forgetEntries() {
        for stripe in stripes.indices { stripes[stripe].generation += 1 }
        for key in Array(indices.keys) { remove(key) }
    }

    /// Starts over with another engine, whose versions are unrelated to the previous ones.
    mutating func reset() {
        let generation = (stripes.map(\.generation).max() ?? 0) + 1
        let serial = lastSerial
        self = MemoryTier(byteLimit: byteLimit)
        lastSerial = serial
        for stripe in stripes.indices { stripes[stripe].generation = generation }
    }

    // MARK: - Uses

    /// The maximum number of remembered uses; beyond it, the order of eviction becomes less exact.
    static let touchLimit = 2048

    private mutating func noteOtherUse(of key: RowKey, at date: Date) {
        guard otherTouches.count < Self.touchLimit else {
            return
        }
        otherTouches[key] = date
    }

    var isFullOfTouches: Bool { touchCount >= Self.touchLimit }

    var touchCount: Int { touchedNodes.count + otherTouches.count }

    /// Returns the uses since the last call, for the engine's own order of eviction.
    mutating func takeTouches() -> [(key: String, at: Date)] {
        var touches = otherTouches.map { (key: $0.key.string, at: $0.value) }
        for key in touchedNodes {
            guard let index = indices[key], uses[index].isTouched else {
                continue
            }
            uses[index].isTouched = false
            touches.append((key: key.string, at: uses[index].lastUsedAt))
        }
        touchedNodes.removeAll(keepingCapacity: true)
        otherTouches.removeAll(keepingCapacity: true)
        return touches
    }

    // MARK: - List

    private func node(of key: RowKey) -> Node? {
        indices[key].flatMap { nodes[$0] }
    }

    private static func stripe(of key: RowKey) -> Int {
        key.hashValue & (stripeCount - 1)
    }

    private mutating func insert(
        _ key: RowKey,
        _ entry: CacheEntry,
        _ version: UInt64,
        now: Date,
        isTouched: Bool
    ) -> Bool {
        let cost = entry.body.count + entry.metadata.count + key.string.utf8.count
        remove(key)
        guard cost <= byteLimit / 8 else {
            return false
        }
        while byteCount + cost > byteLimit, let victim = nodes[Int(oldest)] { remove(victim.key) }
        // The keys of removed entries stay until the uses are taken, which may be never.
        if touchedNodes.count >= 2 * max(indices.count, Self.touchLimit) {
            touchedNodes = indices.compactMap { uses[$0.value].isTouched ? $0.key : nil }
        }
        let index = nodes.insert(Node(key: key, version: version, cost: cost))
        lastSerial += 1
        let use = Use(lastUsedAt: now, isTouched: isTouched, serial: lastSerial)
        if index < uses.count {
            uses[index] = use
            entries[index] = HeldEntry(entry)
        } else {
            uses.append(use)
            entries.append(HeldEntry(entry))
        }
        indices[key] = index
        if isTouched { touchedNodes.append(key) }
        byteCount += cost
        linkAsNewest(index)
        return true
    }

    private mutating func remove(_ key: RowKey) {
        // An empty table would hash the key.
        guard !indices.isEmpty, let index = indices.removeValue(forKey: key), let node = nodes.remove(at: index) else {
            return
        }
        // A use that the engine does not know yet must not be lost with the node.
        if uses[index].isTouched { noteOtherUse(of: key, at: uses[index].lastUsedAt) }
        unlink(index)
        uses[index].serial = 0
        entries[index] = nil
        byteCount -= node.cost + node.companionCost
    }

    private mutating func linkAsNewest(_ index: Int) {
        // A larger number of entries would take hundreds of gigabytes.
        let link = Int32(truncatingIfNeeded: index)
        uses[index].newer = -1
        uses[index].older = newest
        if newest >= 0 { uses[Int(newest)].newer = link }
        newest = link
        if oldest < 0 { oldest = link }
    }

    private mutating func unlink(_ index: Int) {
        let newer = uses[index].newer
        let older = uses[index].older
        if newer >= 0 { uses[Int(newer)].older = older } else { newest = older }
        if older >= 0 { uses[Int(older)].newer = newer } else { oldest = newer }
    }
}

/// Identifies an entry in the memory tier of a cache, from its insertion until it is removed or replaced.
package struct MemoryPlace: Sendable, Equatable {
    let index: Int
    let serial: UInt64
}

/// An entry in the memory of a cache, with the object that is kept beside it.
package final class HeldEntry: Sendable {
    package let entry: CacheEntry
    /// The object that was derived from the entry's bytes, with which it ends.
    package let companion: (any AnyObject & Sendable)?

    init(_ entry: CacheEntry, companion: (any AnyObject & Sendable)? = nil) {
        self.entry = entry
        self.companion = companion
    }
}
