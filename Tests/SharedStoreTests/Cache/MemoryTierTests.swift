// SPDX-License-Identifier: MIT

import Foundation
import SeededRandom
import Testing

@testable import SharedStore

@Suite struct MemoryTierTests {
    let now = Date(timeIntervalSince1970: 1000)

    func entry(_ size: Int) -> CacheEntry {
        CacheEntry(body: Data(count: size), storedAt: now)
    }

    @Test
    func `the least recently used entry makes room`() {
        var tier = MemoryTier(byteLimit: 80)
        for key in ["a", "b", "c", "d", "e", "f", "g", "h"] { tier.stored(entry(9), for: RowKey(key), version: 1) }

        #expect(tier.entry(for: RowKey("a"), now: now) != nil)
        tier.stored(entry(9), for: RowKey("i"), version: 2)

        #expect(tier.entry(for: RowKey("a"), now: now) != nil)
        #expect(tier.entry(for: RowKey("b"), now: now) == nil)
        #expect(tier.byteCount == 80)
    }

    @Test
    func `an entry above an eighth of the limit stays out`() {
        var tier = MemoryTier(byteLimit: 80)

        tier.stored(entry(10), for: RowKey("a"), version: 1)

        #expect(tier.entry(for: RowKey("a"), now: now) == nil)
        #expect(tier.byteCount == 0)
    }

    @Test
    func `a place finds its entry without the key, until that is replaced or removed`() throws {
        var tier = MemoryTier(byteLimit: 80)
        let (key, other) = (RowKey("a"), RowKey("b"))
        tier.stored(entry(1), for: key, version: 1)

        let place = try found(tier.use(key, now: now))
        // The key of another entry shows that it is not looked up.
        #expect(tier.use(other, foundAt: place, now: now) == place)
        #expect(tier[place]?.entry.body.count == 1)

        tier.stored(entry(2), for: key, version: 2)
        #expect(tier[place] == nil)
        #expect(tier.use(other, foundAt: place, now: now) == nil)
        let next = try found(tier.use(key, foundAt: place, now: now))
        #expect(next != place)
        #expect(tier[next]?.entry.body.count == 2)

        tier.invalidated(key, version: 3)
        #expect(tier[next] == nil)
        #expect(tier.use(key, foundAt: next, now: now) == nil)
    }

    @Test
    func `a place is never that of a later entry`() throws {
        var tier = MemoryTier(byteLimit: 800)
        var places: [MemoryPlace] = []
        for round in 1...20 {
            let key = RowKey("key \(round % 3)")
            if round.isMultiple(of: 7) {
                // Places of another engine.
                tier.reset()
            }
            tier.stored(entry(round), for: key, version: UInt64(round))
            let place = try found(tier.use(key, now: now))
            #expect(places.allSatisfy { tier[$0].map { $0.entry.body.count < round } ?? true })
            #expect(tier[place]?.entry.body.count == round)
            places.append(place)
            tier.invalidated(RowKey("key \((round + 1) % 3)"), version: UInt64(round))
        }
    }

    @Test
    func `an entry in use makes room last, also if it is found by its place`() throws {
        var tier = MemoryTier(byteLimit: 80)
        for key in ["a", "b", "c", "d", "e", "f", "g", "h"] { tier.stored(entry(9), for: RowKey(key), version: 1) }
        let place = try found(tier.use(RowKey("a"), now: now))
        for key in ["b", "c"] { #expect(tier.use(RowKey(key), now: now) != nil) }

        #expect(tier.use(RowKey("a"), foundAt: place, now: now) == place)
        for key in ["i", "j", "k", "l", "m", "n", "o"] { tier.stored(entry(9), for: RowKey(key), version: 2) }

        #expect(tier[place] != nil)
        #expect(tier.entry(for: RowKey("b"), now: now) == nil)
    }

    private func found(_ place: MemoryPlace?) throws -> MemoryPlace { try #require(place) }

    private final class Model: Sendable {}

    @Test
    func `an object beside an entry counts, is replaced, and ends with the entry`() {
        var tier = MemoryTier(byteLimit: 80)
        let (key, model) = (RowKey("a"), Model())
        tier.stored(entry(1), for: key, version: 1)

        tier.keep(Model(), cost: 5, beside: key)
        tier.keep(model, cost: 3, beside: key)
        tier.keep(model, cost: 3, beside: RowKey("b"))

        #expect(tier.companion(key, now) === model)
        #expect(tier.byteCount == 5)
        tier.stored(entry(2), for: key, version: 2)
        #expect(tier.companion(key, now) == nil)
        #expect(tier.byteCount == 3)
    }

    @Test
    func `others make room for an object, unless it is too large`() {
        var tier = MemoryTier(byteLimit: 80)
        for key in ["a", "b", "c", "d", "e", "f", "g", "h"] { tier.stored(entry(7), for: RowKey(key), version: 1) }
        for key in ["b", "c", "d", "e", "f", "g", "h"] {
            tier.keep(Model(), cost: 2, beside: RowKey(key))
        }
        tier.keep(Model(), cost: 3, beside: RowKey("h"))
        #expect(tier.byteCount == 76)
        #expect(tier.companion(RowKey("h"), now) == nil)

        tier.stored(entry(1), for: RowKey("i"), version: 1)
        tier.stored(entry(1), for: RowKey("j"), version: 1)
        tier.keep(Model(), cost: 1, beside: RowKey("j"))

        #expect(tier.entry(for: RowKey("a"), now: now) == nil)
        #expect(tier.companion(RowKey("j"), now) != nil)
        #expect(tier.byteCount <= 80)
    }

    @Test
    func `an older store never hides a newer one`() {
        var tier = MemoryTier(byteLimit: 800)

        tier.stored(entry(2), for: RowKey("a"), version: 2)
        tier.stored(entry(1), for: RowKey("a"), version: 1)

        #expect(tier.entry(for: RowKey("a"), now: now) == entry(2))
    }

    @Test
    func `a store that was removed meanwhile stays out`() {
        var tier = MemoryTier(byteLimit: 800)

        tier.invalidated(RowKey("a"), version: 2)
        tier.stored(entry(1), for: RowKey("a"), version: 1)
        #expect(tier.entry(for: RowKey("a"), now: now) == nil)

        tier.stored(entry(3), for: RowKey("a"), version: 3)
        #expect(tier.entry(for: RowKey("a"), now: now) == entry(3))
    }

    @Test
    func `a load that a write overtook is not kept`() {
        var tier = MemoryTier(byteLimit: 800)
        let ticket = tier.beginLoad(of: RowKey("a"))

        tier.invalidated(RowKey("a"), version: 2)
        tier.endLoad(ticket, key: RowKey("a"), entry: entry(1), version: 1, now: now)

        #expect(tier.entry(for: RowKey("a"), now: now) == nil)
    }

    @Test
    func `a load that nothing overtook is kept`() {
        var tier = MemoryTier(byteLimit: 800)
        let ticket = tier.beginLoad(of: RowKey("a"))

        tier.endLoad(ticket, key: RowKey("a"), entry: entry(1), version: 1, now: now)

        #expect(tier.entry(for: RowKey("a"), now: now) == entry(1))
    }

    @Test
    func `uses are taken once, also those of entries that left`() {
        var tier = MemoryTier(byteLimit: 80)
        for key in ["a", "b"] { tier.stored(entry(9), for: RowKey(key), version: 1) }
        _ = tier.entry(for: RowKey("a"), now: now + 1)
        _ = tier.entry(for: RowKey("b"), now: now + 2)
        tier.forgetEntries()

        let touches = tier.takeTouches().sorted { $0.key < $1.key }

        #expect(touches.map(\.key) == ["a", "b"])
        #expect(touches.map(\.at) == [now + 1, now + 2])
        #expect(tier.takeTouches().isEmpty)
    }

    @Test
    func `loads under way do not survive a change of engine`() {
        var tier = MemoryTier(byteLimit: 800)
        tier.invalidated(RowKey("a"), version: 9)
        let ticket = tier.beginLoad(of: RowKey("a"))

        tier.reset()
        tier.endLoad(ticket, key: RowKey("a"), entry: entry(1), version: 1, now: now)
        #expect(tier.entry(for: RowKey("a"), now: now) == nil)

        tier.stored(entry(2), for: RowKey("a"), version: 1)
        #expect(tier.entry(for: RowKey("a"), now: now) == entry(2))
    }

    @Test
    func `random use never breaks the count of bytes`() {
        var generator = SeededGenerator(seed: 7)
        var tier = MemoryTier(byteLimit: 4000)
        for version in 1...5000 {
            let key = RowKey("key\(Int.random(in: 0..<100, using: &generator))")
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: tier.invalidated(key, version: UInt64(version))
            case 1: _ = tier.entry(for: key, now: now)
            default:
                tier.stored(entry(.random(in: 0..<500, using: &generator)), for: key, version: UInt64(version))
            }
            #expect(tier.byteCount >= 0 && tier.byteCount <= 4000)
        }
        tier.forgetEntries()
        #expect(tier.byteCount == 0)
    }

    @Test
    func `uses that nobody takes fill no memory, and the latest are kept`() {
        var tier = MemoryTier(byteLimit: 80)
        for number in 0..<20_000 {
            let key = RowKey("\(number % 100)")
            tier.endLoad(tier.beginLoad(of: key), key: key, entry: entry(8), version: 1, now: now + Double(number))
        }

        #expect(tier.touchCount <= 3 * MemoryTier.touchLimit)
        let touches = tier.takeTouches()
        #expect(touches.last { $0.key == "99" }?.at == now + 19_999)
        #expect(Set(touches.map(\.key)).count == 100)
    }
}

extension MemoryTier {
    /// Returns the object beside an entry.
    fileprivate mutating func companion(_ key: RowKey, _ now: Date) -> (any AnyObject & Sendable)? {
        use(key, now: now).flatMap { self[$0]?.companion }
    }
}
