// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

/// The changes that observers receive, their origin and their order.
@Suite(.timeLimit(.minutes(5)))
struct SharedDataObservationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func change(_ old: Int?, _ new: Int?, _ origin: SharedChangeOrigin = .thisProcess) -> ObservedChange {
        ObservedChange(old: old, new: new, origin: origin)
    }

    /// A change in a form that can be compared.
    struct ObservedChange: Equatable, Sendable {
        var old: Int?
        var new: Int?
        var origin: SharedChangeOrigin

        init(old: Int?, new: Int?, origin: SharedChangeOrigin) {
            self.old = old
            self.new = new
            self.origin = origin
        }

        init(_ change: SharedChange<Int>) {
            self.init(old: change.oldValue, new: change.newValue, origin: change.origin)
        }
    }

    // MARK: - In one process

    @Test(arguments: DataEngine.allCases)
    func `changes carry old and new values in order`(_ engine: DataEngine) async throws {
        let data = try engine.make(in: folder)
        try data.set(1, for: .count)
        let changes = data.changes(for: .count)
        let received = Recorder<ObservedChange>()
        let token = data.observe(.count) { received.record(ObservedChange($0)) }

        try data.set(2, for: .count)
        try data.set(2, for: .count)
        try data.remove(.count)
        _ = try data.compareAndSet(.count, expected: nil, new: 3)
        try data.modify(.count) { $0 = 4 }
        try data.transaction { try $0.set(5, for: .count) }
        try data.removeAll()
        token.cancel()
        try data.set(6, for: .count)

        let expected = [
            change(1, 2), change(2, 2), change(2, nil), change(nil, 3), change(3, 4), change(4, 5), change(5, nil),
        ]
        #expect(received.all == expected)
        #expect(await changes.prefix(7).map { ObservedChange($0) }.collect() == expected)
    }

    @Test(arguments: DataEngine.allCases)
    func `the initial value comes first and equal values are passed over on demand`(_ engine: DataEngine) async throws {
        let data = try engine.make(in: folder)
        try data.set(1, for: .count)
        let changes = data.changes(for: .count, options: [.initial, .distinct])

        for value in [1, 2, 2, 1, 1, 3] { try data.set(value, for: .count) }

        let expected = [change(nil, 1), change(1, 2), change(2, 1), change(1, 3)]
        #expect(await changes.prefix(4).map { ObservedChange($0) }.collect() == expected)
    }

    @Test
    func `the initial value may be the default`() async throws {
        let data = SharedData()
        let key = SharedKey<Int>("count", default: 7)
        var changes = data.changes(for: key, options: [.initial]).makeAsyncIterator()

        #expect(await changes.next(isolation: nil)?.newValue == 7)
    }

    @Test(arguments: DataEngine.allCases)
    func `observers of all values receive names and kinds`(_ engine: DataEngine) async throws {
        let data = try engine.make(in: folder)
        let changes = data.allChanges()
        let received = Recorder<SharedDataChange>()
        let token = data.observeAll { received.record($0) }

        try data.set(1, for: .count)
        try data.set(Session.sample, for: .session)
        try data.remove(.count)
        try data.removeAll()
        token.cancel()

        let kinds: [(String, SharedDataChange.Kind)] = [
            ("count", .updated), ("session", .updated), ("count", .removed), ("session", .removed),
        ]
        #expect(received.all.map(\.name) == kinds.map(\.0))
        #expect(received.all.map(\.kind) == kinds.map(\.1))
        #expect(await changes.prefix(4).collect() == received.all)
    }

    @Test
    func `an observation ends with its token`() throws {
        let data = SharedData()
        let received = Recorder<ObservedChange>()
        var token: ObservationToken? = data.observe(.count) { received.record(ObservedChange($0)) }
        try data.set(1, for: .count)

        token = nil
        try data.set(2, for: .count)

        #expect(token == nil)
        #expect(received.all == [change(nil, 1)])
    }

    @Test
    func `a callback may use the store and is not called within itself`() throws {
        let data = SharedData()
        let received = Recorder<String>()
        let token = data.observe(.count) { change in
            received.record("begin \(change.newValue ?? -1)")
            if let value = change.newValue, value < 3 { try? data.set(value + 1, for: .count) }
            received.record("end \(change.newValue ?? -1)")
        }

        try data.set(1, for: .count)

        #expect(received.all == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
        token.cancel()
    }

    @Test(arguments: DataEngine.allCases)
    func `concurrent writers make one unbroken chain of changes`(_ engine: DataEngine) async throws {
        let data = try engine.make(in: folder)
        let received = Recorder<ObservedChange>()
        let token = data.observe(.count) { received.record(ObservedChange($0)) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask { for round in 0..<50 { try data.set(writer * 1000 + round, for: .count) } }
            }
            try await group.waitForAll()
        }

        let all = received.all
        #expect(all.count == 400)
        #expect(all.first?.old == nil)
        for (earlier, later) in zip(all, all.dropFirst()) { #expect(earlier.new == later.old) }
        #expect(all.last?.new == (try data.value(for: .count)))
        token.cancel()
    }

    @Test
    func `a slow reader loses no last value and sees a chain without holes`() async throws {
        let data = SharedData()
        let changes = data.changes(for: .count)

        for value in 1...1000 { try data.set(value, for: .count) }

        let all = await changes.prefix(256).map { ObservedChange($0) }.collect()
        #expect(all.last?.new == 1000)
        for (earlier, later) in zip(all, all.dropFirst()) { #expect(earlier.new == later.old) }
    }

    @Test
    func `a reader of all changes keeps the last one of each value`() async throws {
        let data = SharedData()
        let changes = data.allChanges()
        for _ in 0..<500 {
            for name in ["a", "b", "c"] { try data.set(1, for: SharedKey<Int>(name)) }
        }
        try data.remove(SharedKey<Int>("b"))

        var last: [String: SharedDataChange.Kind] = [:]
        for await change in changes {
            last[change.name] = change.kind
            if change.kind == .removed { break }
        }
        #expect(last == ["a": .updated, "b": .removed, "c": .updated])
    }

    @Test
    func `sequences end with the store and with their task`() async throws {
        var data: SharedData? = SharedData()
        let changes = try #require(data?.changes(for: .count))
        data = nil
        #expect(await changes.map { ObservedChange($0) }.collect() == [])

        let other = SharedData()
        let task = Task {
            var count = 0
            for await _ in other.changes(for: .count) { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    // MARK: - Across stores on one file

    @Test
    func `another store's changes arrive with their origin`() async throws {
        let one = try DataEngine.file.make(in: folder)
        let other = try DataEngine.file.make(in: folder)
        var changes = one.changes(for: .count).makeAsyncIterator()
        var all = one.allChanges().makeAsyncIterator()

        try other.set(1, for: .count)
        #expect(await changes.next(isolation: nil).map { ObservedChange($0) } == change(nil, 1, .anotherProcess))
        #expect(
            await all.next(isolation: nil) == SharedDataChange(name: "count", kind: .updated, origin: .anotherProcess)
        )
        #expect(try one.value(for: .count) == 1)

        try one.set(2, for: .count)
        #expect(await changes.next(isolation: nil).map { ObservedChange($0) } == change(1, 2))

        try other.removeAll()
        #expect(await changes.next(isolation: nil).map { ObservedChange($0) } == change(2, nil, .anotherProcess))
        #expect(try one.value(for: .count) == nil)
    }

    @Test
    func `an initial value has the origin of its last change`() async throws {
        func initial(_ data: SharedData, _ key: SharedKey<Int> = .count) async -> ObservedChange? {
            var changes = data.changes(for: key, options: [.initial]).makeAsyncIterator()
            return await changes.next(isolation: nil).map { ObservedChange($0) }
        }
        let one = try DataEngine.file.make(in: folder)
        try one.set(1, for: .count)
        let other = try DataEngine.file.make(in: folder)
        #expect(await initial(one) == change(nil, 1))
        #expect(await initial(other) == change(nil, 1, .anotherProcess))
        // Now it lies in memory.
        #expect(await initial(other) == change(nil, 1, .anotherProcess))

        try other.set(2, for: .count)
        #expect(await initial(other) == change(nil, 2))
        one.catchUp()
        #expect(await initial(one) == change(nil, 2, .anotherProcess))

        // A value that was never set does not come from another process.
        #expect(await initial(one, SharedKey<Int>("default", default: 7)) == change(nil, 7))
    }

    @Test
    func `an initial value from memory stays one's own when it is carried over to a file`() async throws {
        let data = SharedData()
        try data.set(1, for: .count)
        try data.attach(file: folder.file())
        var changes = data.changes(for: .count, options: [.initial]).makeAsyncIterator()
        #expect(await changes.next(isolation: nil).map { ObservedChange($0) } == change(nil, 1))
    }

    @Test
    func `the last of many changes of another store arrives`() async throws {
        let one = try DataEngine.file.make(in: folder)
        let other = try DataEngine.file.make(in: folder)
        let changes = one.changes(for: .count)

        for value in 1...6000 { try other.set(value, for: .count) }

        for await change in changes where change.newValue == 6000 { break }
        #expect(try one.value(for: .count) == 6000)
    }

    @Test
    func `a value that this store cannot read is reported as an error`() async throws {
        let one = try DataEngine.file.make(in: folder)
        let other = try DataEngine.file.make(in: folder)
        var changes = one.changes(for: SharedKey<Int>("count", codec: .sealed(.generate()))).makeAsyncIterator()

        try other.set(1, for: SharedKey<Int>("count", codec: .sealed(.generate())))

        let change = await changes.next(isolation: nil)
        #expect(change?.newValue == nil)
        #expect(change?.error?.code == .wrongKey)
    }

    @Test
    func `more changes than another store's feed keeps are all taken in`() async throws {
        let one = try DataEngine.file.make(in: folder)
        let other = try DataEngine.file.make(in: folder)
        try one.set(1, for: .count)
        try one.set(5, for: SharedKey<Int>("unchanged"))
        try one.set(6, for: SharedKey<Int>("removed"))
        var changes = one.changes(for: .count).makeAsyncIterator()
        var last = one.changes(for: SharedKey<Int>("k7999")).makeAsyncIterator()
        var removals = one.changes(for: SharedKey<Int>("removed")).makeAsyncIterator()

        // One commit, so that the feed has forgotten its beginning before anybody reads it.
        try other.transaction { transaction in
            try transaction.set(2, for: .count)
            try transaction.remove(SharedKey<Int>("removed"))
            for number in 0..<8_000 {
                try transaction.set(number, for: SharedKey<Int>("k\(number)"))
            }
        }
        one.catchUp()

        #expect(await changes.next(isolation: nil).map { ObservedChange($0) } == change(1, 2, .anotherProcess))
        #expect(await last.next(isolation: nil).map { ObservedChange($0) } == change(nil, 7_999, .anotherProcess))
        #expect(await removals.next(isolation: nil).map { ObservedChange($0) } == change(6, nil, .anotherProcess))
        #expect(try one.value(for: .count) == 2)
        #expect(try one.value(for: SharedKey<Int>("k0")) == 0)
        #expect(try one.value(for: SharedKey<Int>("unchanged")) == 5)
        #expect(try one.value(for: SharedKey<Int>("removed")) == nil)
    }

    // MARK: - Attaching

    @Test
    func `observers stay when values are carried over to a file`() async throws {
        try DataEngine.file.make(in: folder).set(10, for: SharedKey<Int>("other"))
        try DataEngine.file.make(in: folder).set(11, for: .count)
        let data = SharedData()
        try data.set(1, for: .count)
        var counts = data.changes(for: .count).makeAsyncIterator()
        var others = data.changes(for: SharedKey<Int>("other")).makeAsyncIterator()

        try data.attach(file: folder.file())
        try data.set(2, for: .count)

        #expect(await counts.next(isolation: nil).map { ObservedChange($0) } == change(1, 2))
        #expect(await others.next(isolation: nil).map { ObservedChange($0) } == change(nil, 10, .anotherProcess))
        #expect(try SharedData(file: folder.file()).value(for: .count) == 2)
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Gathers all elements.
    func collect() async rethrows -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
