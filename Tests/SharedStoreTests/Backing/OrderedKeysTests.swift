// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import SharedStore

@Suite struct OrderedKeysTests {
    /// A collection, and the keys that it must have.
    private struct Model {
        var collection = MemoryCollection(recordsChanges: false)
        var keys: Set<String> = []
        var random: SplitMix64

        mutating func text(_ lengths: ClosedRange<Int>) -> String {
            let length = Int.random(in: lengths, using: &random)
            return String((0..<length).map { _ in ["a", "b", "é"][Int.random(in: 0...2, using: &random)] })
        }

        mutating func change() {
            let key = text(0...4)
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<5:
                _ = collection.apply([.put(key, "")])
                keys.insert(key)
            case 5..<7:
                _ = collection.apply([.remove(key)])
                keys.remove(key)
            default:
                _ = collection.remove(.prefix(key))
                keys = keys.filter { !$0.hasPrefix(key) }
            }
        }

        mutating func page() -> RowPage {
            let after = Bool.random(using: &random) ? text(0...4) : nil
            return RowPage(prefix: text(0...1), after: after, limit: Int.random(in: 0...6, using: &random))
        }

        func listing(_ page: RowPage) -> [String] {
            let found = keys.map(RowKey.init)
                .filter { key in key.hasPrefix(RowKey(page.prefix)) && page.key.map { RowKey($0) < key } ?? true }
            return found.sorted().prefix(page.limit).map(\.string)
        }
    }

    @Test(arguments: UInt64(0)..<60)
    func `a page lists what sorting all keys would list`(seed: UInt64) {
        var model = Model(random: SplitMix64(seed: seed))

        for _ in 0..<100 {
            for _ in 0..<Int.random(in: 0...12, using: &model.random) {
                model.change()
            }
            let page = model.page()
            let listed = model.collection.summaries(page).map(\.key)
            #expect(listed == model.listing(page), "\(page)")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `many pages do not sort the keys once each`() {
        var collection = MemoryCollection(recordsChanges: false)
        _ = collection.apply((0..<20_000).map { .put("key \($0)", "") })

        var page: RowPage? = RowPage(limit: 20)
        var count = 0
        while let next = page {
            let rows = collection.summaries(next)
            count += rows.count
            page = next.next(after: rows)
        }

        #expect(count == 20_000)
    }
}
