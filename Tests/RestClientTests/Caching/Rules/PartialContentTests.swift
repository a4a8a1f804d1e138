// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

/// RFC 9110, section 14, and RFC 9111, section 3.4.
@Suite
struct PartialContentTests {
    @Test(
        arguments: [
            ("bytes=0-1", .one(.from(0, through: 1))), ("bytes=1-", .one(.from(1, through: nil))),
            ("bytes=-5", .one(.suffix(5))), ("Bytes= 2 - 3", .one(.from(2, through: 3))),
            ("bytes=0-1,3-4", .other), ("bytes=-0", .other), ("bytes=3-2", .other), ("bytes=-", .other),
            ("bytes=a-b", .other), ("items=0-1", .other), ("bytes", .other), ("bytes=99999999999999999999-", .other),
        ] as [(String, ByteRange.Demand)]
    )
    func `RFC 9110, 14.1.2: one range is understood`(text: String, demand: ByteRange.Demand) {
        #expect(ByteRange.demand(.get, [.range: text]) == demand)
        #expect(ByteRange.demand(.post, [.range: text]) == .none)
        #expect(ByteRange.demand(.get, [:]) == .none)
    }

    @Test(
        arguments: [
            ("bytes 4-9/10", 6, 4..<10, 10), ("bytes 4-9/10", 5, 4..<9, 10), ("bytes 4-9/*", 6, 4..<10, nil),
            ("bytes 4-9/10", 7, nil, nil), ("bytes 4-10/10", 6, nil, nil), ("bytes 9-4/10", 6, nil, nil),
            ("bytes */10", 6, nil, nil), ("items 4-9/10", 6, nil, nil), ("4-9/10", 6, nil, nil), ("", 6, nil, nil),
        ] as [(String, Int, Range<Int>?, Int?)]
    )
    func `RFC 9110, 14.4: a part holds what came, from where it says`(
        field: String,
        count: Int,
        positions: Range<Int>?,
        length: Int?
    ) {
        let held = HeldBytes(status: .partialContent, headers: [.contentRange: field], count: count)
        #expect(held?.positions == positions)
        #expect(held?.length == length)
    }

    @Test(
        arguments: [
            (0..<10, 10, .from(0, through: 1), 0..<2, "bytes 0-1/10"),
            (0..<10, 10, .from(1, through: nil), 1..<10, "bytes 1-9/10"),
            (0..<10, 10, .from(8, through: 99), 8..<10, "bytes 8-9/10"),
            (0..<10, 10, .suffix(1), 9..<10, "bytes 9-9/10"),
            (0..<10, 10, .suffix(99), 0..<10, "bytes 0-9/10"),
            (0..<10, 10, .from(10, through: nil), nil, ""),
            (4..<10, 10, .from(6, through: 8), 2..<5, "bytes 6-8/10"),
            (4..<10, 10, .suffix(2), 4..<6, "bytes 8-9/10"),
            (4..<10, 10, .from(3, through: 8), nil, ""),
            (4..<9, 10, .from(6, through: nil), nil, ""),
            (4..<10, nil, .from(6, through: 8), 2..<5, "bytes 6-8/*"),
            (4..<10, nil, .suffix(2), nil, ""),
            (4..<10, nil, .from(6, through: nil), nil, ""),
            (0..<0, 0, .suffix(2), nil, ""),
        ] as [(Range<Int>, Int?, ByteRange, Range<Int>?, String)]
    )
    func `RFC 9111, 3.3: a range is taken from what is held, or not at all`(
        positions: Range<Int>,
        length: Int?,
        range: ByteRange,
        offsets: Range<Int>?,
        contentRange: String
    ) {
        let slice = HeldBytes(positions: positions, length: length).slice(range)
        #expect(slice?.offsets == offsets)
        #expect(slice?.contentRange ?? "" == contentRange)
    }

    @Test(
        arguments: [
            (0..<5, 10, "bytes=5-"), (5..<10, 10, "bytes=0-4"), (3..<5, 10, nil), (0..<10, 10, nil), (0..<5, nil, nil),
        ] as [(Range<Int>, Int?, String?)]
    )
    func `RFC 9111, 3.4: what is missing in one piece can be asked for`(
        positions: Range<Int>,
        length: Int?,
        missing: String?
    ) {
        #expect(HeldBytes(positions: positions, length: length).missing == missing)
    }

    @Test(
        arguments: [
            (0..<5, 5..<10, 0..<10), (5..<10, 0..<5, 0..<10), (0..<6, 4..<10, 0..<10), (0..<10, 3..<5, 0..<10),
            (3..<5, 0..<10, 0..<10), (2..<4, 4..<6, 2..<6), (0..<4, 5..<10, nil),
        ] as [(Range<Int>, Range<Int>, Range<Int>?)]
    )
    func `RFC 9111, 3.4: parts that touch are put together`(left: Range<Int>, right: Range<Int>, whole: Range<Int>?) {
        let bytes = Data(0..<10)
        let combined = HeldBytes.combined(
            (HeldBytes(positions: left, length: 10), Data(bytes[left])),
            (HeldBytes(positions: right, length: nil), Data(bytes[right]))
        )
        #expect(combined?.held.positions == whole)
        #expect(combined?.body == whole.map { Data(bytes[$0]) })
        #expect(combined == nil || combined?.held.length == 10)
    }

    @Test
    func `parts of wholes of different lengths are not put together`() {
        let combined = HeldBytes.combined(
            (HeldBytes(positions: 0..<1, length: 2), Data([0])),
            (HeldBytes(positions: 1..<3, length: 3), Data([1, 2]))
        )
        #expect(combined == nil)
    }
}
