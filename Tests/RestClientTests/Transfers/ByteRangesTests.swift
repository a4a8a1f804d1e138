// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct ByteRangesTests {
    @Test(
        arguments: [
            ([0..<5, 5..<9], [0..<9]), ([5..<9, 0..<5], [0..<9]), ([0..<3, 6..<9], [0..<3, 6..<9]),
            ([6..<9, 0..<3, 2..<7], [0..<9]),
            ([0..<3, 3..<3], [0..<3]), ([0..<9, 2..<4], [0..<9]), ([4..<5, 2..<3, 0..<1], [0..<1, 2..<3, 4..<5]),
            ([2..<4, 0..<9], [0..<9]), ([], []),
        ] as [([Range<Int64>], [Range<Int64>])]
    )
    func `ranges that touch are joined`(ranges: [Range<Int64>], expected: [Range<Int64>]) {
        #expect(ByteRanges(ranges).ranges == expected)
    }

    @Test
    func `a set knows its bytes and its gaps, whatever came in which order`() {
        var generator = SeededGenerator(seed: 13)
        for _ in 0..<500 {
            var set = ByteRanges()
            var bytes: Set<Int64> = []
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                let start = Int64.random(in: 0..<40, using: &generator)
                let range = start..<start + Int64.random(in: 0...8, using: &generator)
                set.insert(range)
                bytes.formUnion(range)
            }
            let gaps = set.gaps(in: 5..<45)

            #expect(set.count == Int64(bytes.count))
            #expect(set.prefixCount == (0...).first { !bytes.contains($0) })
            #expect(Set(gaps.flatMap { Array($0) }) == Set(5..<45).subtracting(bytes))
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        }
    }

    @Test
    func `a set survives being written and read`() throws {
        let set = ByteRanges([0..<5, 7..<9])

        let data = try JSONEncoder().encode(set)

        #expect(String(decoding: data, as: UTF8.self) == "[0,5,7,9]")
        #expect(try JSONDecoder().decode(ByteRanges.self, from: data) == set)
        #expect(try JSONDecoder().decode(ByteRanges.self, from: Data("[]")).isEmpty)
    }

    @Test
    func `a set with the greatest bounds, and one of many ranges, can be used`() throws {
        let whole = try JSONDecoder().decode(ByteRanges.self, from: Data("[0,9223372036854775807]"))
        #expect(whole.count == .max)
        #expect(whole.prefixCount == .max)
        #expect(whole.gaps(in: 0..<Int64.max).isEmpty)

        let bounds = (0..<200_000).map { "\($0)" }.joined(separator: ",")
        let many = try JSONDecoder().decode(ByteRanges.self, from: Data("[\(bounds)]"))
        #expect(many.count == 100_000)
    }

    @Test(arguments: [
        "[0]", "[5,0]", "[-1,5]", "[0,0]", "[0,5,9]", "{}", "[0,1.5]", "[0,5,5,9]", "[7,9,0,5]", "[0,5,3,9]",
        "[0,1,-9223372036854775808,9223372036854775807]", "[0,9223372036854775808]", "[\"0\",5]", "null",
    ])
    func `what is no set of ranges cannot be read`(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ByteRanges.self, from: Data(text)) }
    }

    @Test(
        arguments: [
            (0..<100, []), (40..<60, [0..<40, 60..<100]), (90..<200, [0..<90]), (0..<1, [1..<100]),
            (100..<200, [0..<100]), (50..<50, [0..<100]),
        ] as [(Range<Int64>, [Range<Int64>])]
    )
    func `a range that is removed leaves what is around it`(range: Range<Int64>, left: [Range<Int64>]) {
        var ranges = ByteRanges([0..<100, 300..<400])

        ranges.remove(range)

        #expect(ranges.ranges == left + [300..<400])
    }

    // MARK: - Plans

    @Test(
        arguments: [
            ([0..<100], 1, 10, [0..<100]), ([0..<100], 2, 10, [0..<50, 50..<100]),
            ([0..<100], 4, 30, [0..<50, 50..<100]),
            ([0..<100], 3, 10, [0..<50, 50..<75, 75..<100]),
            ([0..<10, 50..<150], 3, 10, [0..<10, 50..<100, 100..<150]),
            ([0..<5, 10..<15, 20..<25], 2, 1, [0..<5, 10..<15, 20..<25]), ([], 4, 10, []), ([0..<1], 4, 0, [0..<1]),
        ] as [([Range<Int64>], Int, Int64, [Range<Int64>])]
    )
    func `large gaps are halved`(
        gaps: [Range<Int64>],
        connections: Int,
        minimum: Int64,
        expected: [Range<Int64>]
    ) {
        let plan = RangePlan.ranges(covering: gaps, connections: connections, minimum: minimum)

        #expect(plan.sorted { $0.lowerBound < $1.lowerBound } == plan)
        #expect(ByteRanges(plan) == ByteRanges(gaps))
        #expect(plan.count == expected.count)
        if connections != 3 {
            #expect(plan == expected)
        }
    }
}
