// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

/// Equal values with hash tables in another order, as in another process.
@Suite(.timeLimit(.minutes(5)))
struct OrderedEncodingTests {
    private struct Failed: Error {}

    private struct Key: Codable, Hashable {
        var number: Int
        var text: String?
    }

    private struct Item: Codable, Hashable {
        var name: String
        var tags: Set<String>
        var sets: [Set<Int>]?
        var counts: [Key: Int] = [:]
        var members: [String: Set<Int>] = [:]
    }

    private let runtime = JobRuntime()
    private let ran = Recorder<String>()

    /// An equal set with another order: the order depends on the capacity.
    private static func reordered<Member: Hashable>(_ set: Set<Member>) -> Set<Member> {
        Set<Member>(minimumCapacity: 5000).union(set)
    }

    private static func reordered<Key: Hashable, Value>(_ table: [Key: Value]) -> [Key: Value] {
        table.reduce(into: Dictionary(minimumCapacity: 5000)) { $0[$1.key] = $1.value }
    }

    private static let numbers = Set(0..<40)
    private static let table = Dictionary(uniqueKeysWithValues: numbers.map { (Key(number: $0, text: nil), $0) })

    // MARK: - Values

    @Test
    func `equal values have one encoding`() throws {
        let (numbers, table) = (Self.numbers, Self.table)
        let (others, otherTable) = (Self.reordered(numbers), Self.reordered(table))
        // The chance that these are equal is that of one permutation of forty.
        #expect(Array(others) != Array(numbers))
        #expect(otherTable.map(\.value) != table.map(\.value))
        let tags = Set(numbers.map(String.init))

        let item = Item(name: "a", tags: tags, sets: [numbers, []], counts: table, members: ["b": numbers])
        let other = Item(
            name: "a",
            tags: Self.reordered(tags),
            sets: [others, []],
            counts: otherTable,
            members: ["b": others]
        )

        #expect(try ResultCoding.encode(item) == ResultCoding.encode(other))
        #expect(try ResultCoding.encode(numbers) == ResultCoding.encode(others))
        #expect(try ResultCoding.encode([numbers, [1]] as Set) == ResultCoding.encode([[1], others] as Set))
        #expect(try ResultCoding.decode(ResultCoding.encode(item), as: Item.self) as? Item == item)
    }

    /// Values of the types that an encoder of JSON knows, without hash tables.
    private struct Plain: Codable {
        var date = Date(timeIntervalSinceReferenceDate: 1.25)
        var dates: [Date?] = [nil, Date(timeIntervalSinceReferenceDate: 2)]
        var data = Data([1, 2, 3])
        var url = URL(string: "https://example.com/a")
        var decimal = Decimal(string: "1.10")
        var float = Float(0.1)
        var large = Int128.max
        var small: UInt8 = 3
        var none: Int?
        var names: [String: [Key]] = ["b": [Key(number: 1)], "a": []]
        var numbers: [Int: Date] = [2: Date(timeIntervalSinceReferenceDate: 3)]
        var empty: [Key: Int] = [:]
    }

    /// Values of the types that containers have methods for, with keys.
    private struct Primitives: Encodable {
        var bool = true
        var string = "a/b"
        var double = 0.1
        var float: Float = 0.1
        var int = Int.min
        var int8 = Int8.min
        var int16 = Int16.min
        var int32 = Int32.min
        var int64 = Int64.min
        var int128 = Int128.min
        var uint = UInt.max
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64.max
        var uint128 = UInt128.max
    }

    /// The same values in a row.
    private struct Row: Encodable {
        func encode(to encoder: any Encoder) throws {
            let values = Primitives()
            var row = encoder.unkeyedContainer()
            try row.encode(values.bool)
            try row.encode(values.string)
            try row.encode(values.double)
            try row.encode(values.float)
            try row.encode(values.int)
            try row.encode(values.int8)
            try row.encode(values.int16)
            try row.encode(values.int32)
            try row.encode(values.int64)
            try row.encode(values.int128)
            try row.encode(values.uint)
            try row.encode(values.uint8)
            try row.encode(values.uint16)
            try row.encode(values.uint32)
            try row.encode(values.uint64)
            try row.encode(values.uint128)
        }
    }

    @Test
    func `other values are encoded as JSON encodes them`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let values: [any Encodable & Sendable] = [
            Plain(), [Plain()], Primitives(), Row(), 1, 1.5, true, "a/b", [1, 2],
            Date(timeIntervalSinceReferenceDate: 3), Data([1]), [] as [Key], [:] as [String: Int], Int?.none,
            [nil, Key(number: 1)] as [Key?],
        ]

        for value in values {
            #expect(try ResultCoding.encode(value) == encoder.encode(value))
        }
    }

    @Test
    func `numbers that are no numbers are encoded inside of sets, too`() throws {
        let bytes = try ResultCoding.encode([.infinity, 1] as Set<Double>)

        #expect(String(decoding: bytes, as: UTF8.self) == #"["Infinity",1]"#)
    }

    // MARK: - Loops

    /// A loop that fails at one of its elements until it is mended.
    private func loop<Items: Collection & Sendable>(
        _ items: Items,
        refused: String?,
        _ name: @escaping @Sendable (Items.Element) -> String
    ) -> JobGraph where Items.Element: Sendable {
        var graph = JobGraph("loop")
        let items = graph.input("items", items)
        graph.forEach("item", in: items, onFailure: .continue) { [ran] item throws -> String in
            guard name(item) != refused else {
                throw Failed()
            }
            ran.record(name(item))
            return name(item)
        }
        return graph
    }

    @Test
    func `an element with a set is recognized in another process`() async throws {
        let tags = Set(Self.numbers.map(String.init))
        let items = ["a", "b"].map { Item(name: $0, tags: tags) }
        let others = ["c", "b", "a"].map { Item(name: $0, tags: Self.reordered(tags)) }
        #expect(try await runtime.run(loop(items, refused: "b", \.name), journal: "loop").isSuccess == false)
        #expect(ran.removeAll() == ["a"])

        #expect(try await runtime.run(loop(others, refused: nil, \.name), journal: "loop").isSuccess)

        #expect(ran.elements.sorted() == ["b", "c"])
    }

    @Test
    func `a pair of a dictionary is recognized in another process, and has its own result`() async throws {
        let table = Self.table
        let first = try await runtime.run(loop(table, refused: "7") { "\($0.value)" }, journal: "loop")
        #expect(!first.isSuccess)
        #expect(ran.removeAll().count == 39)

        let other = Self.reordered(table)
        let second = try await runtime.run(loop(other, refused: nil) { "\($0.value)" }, journal: "loop")

        #expect(ran.elements == ["7"])
        #expect(second.node("item")?.value as? [String] == other.map { "\($0.value)" })
    }

    @Test
    func `a result with a set that is computed again does not repeat what depends on it`() async throws {
        let numbers = Self.numbers
        func graph(_ numbers: Set<Int>, isMended: Bool) -> JobGraph {
            var graph = JobGraph("set")
            let made = graph.local("make") { numbers }
            graph.undo("unmake", of: made) { _ in }
            let used = graph.local("use", after: made) { [ran] numbers in ran.record("\(numbers.count)") }
            graph.local("last", after: used) { _ in
                guard isMended else {
                    throw Failed()
                }
            }
            return graph
        }
        _ = try await runtime.run(graph(numbers, isMended: false), journal: "set")

        let run = try await runtime.run(graph(Self.reordered(numbers), isMended: true), journal: "set")

        #expect(run.isSuccess)
        #expect(run.node("make")?.status == .success)
        #expect(ran.elements == ["40"])
    }

    // MARK: - Elements without an encoding

    /// A collection of elements that cannot be encoded.
    private struct Steps: Codable, RandomAccessCollection {
        struct Step: Sendable {
            let name: String
        }

        var names: [String]
        var startIndex: Int { 0 }
        var endIndex: Int { names.count }

        subscript(position: Int) -> Step { Step(name: names[position]) }
    }

    /// A collection of tuples in an order of their own.
    private struct Lines: Codable, RandomAccessCollection {
        var names: [String]
        var startIndex: Int { 0 }
        var endIndex: Int { names.count }

        subscript(position: Int) -> (name: String, length: Int) { (names[position], names[position].count) }
    }

    @Test
    func `tuples that are not the pairs of a dictionary are known by their place and their collection`() async throws {
        _ = try await runtime.run(loop(Lines(names: ["a", "b"]), refused: "b") { $0.name }, journal: "loop")
        #expect(ran.removeAll() == ["a"])

        let run = try await runtime.run(loop(Lines(names: ["b", "a"]), refused: nil) { $0.name }, journal: "loop")

        #expect(run.isSuccess)
        #expect(ran.elements.sorted() == ["a", "b"])
    }

    @Test
    func `elements that cannot be encoded are known by their place and their collection`() async throws {
        let steps = Steps(names: ["a", "b"])
        _ = try await runtime.run(loop(steps, refused: "b", \.name), journal: "loop")
        #expect(ran.removeAll() == ["a"])

        #expect(try await runtime.run(loop(steps, refused: nil, \.name), journal: "loop").isSuccess)

        #expect(ran.elements == ["b"])
    }
}
