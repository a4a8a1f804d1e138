// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import RestClient

@Suite
struct ContinueRuleTests {
    private static let stream = RequestBody.stream(AsyncStream<Data> { $0.finish() })

    private static let rows: [(length: Int64, body: RequestBody?, timeout: Duration?)] = [
        (0, nil, nil), (10, .bytes(Data(count: 9)), nil), (10, .bytes(Data(count: 10)), .seconds(2)),
        (0, .bytes(Data()), nil), (10, stream, .seconds(2)), (.max, stream, nil), (.max, .bytes(Data(count: 9)), nil),
    ]

    @Test(arguments: rows)
    func `bodies wait from a length on, and those of unknown length`(
        length: Int64,
        body: RequestBody?,
        expected: Duration?
    ) {
        #expect(ContinueRule(length: length, timeout: .seconds(2)).timeout(for: body) == expected)
    }

    @Test
    func `the rule says what it does`() {
        #expect(ContinueRule(length: 5, timeout: .seconds(2)).description.contains("from 5 bytes"))
        #expect(ContinueRule(length: .max, timeout: .seconds(2)).description == "none")
    }
}
