// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct DecodingPlanTests {
    @Test(
        arguments: [
            ([], []), (["gzip"], [ContentDecoding.gzip]), (["GZIP"], [.gzip]), (["x-gzip"], [.gzip]),
            (["identity"], []),
            (["deflate, gzip"], [.gzip, .deflate]), (["deflate", "x-gzip"], [.gzip, .deflate]),
            (["gzip, identity, deflate"], [.deflate, .gzip]),
            ([" gzip ,, "], [.gzip]), (["gzip, gzip"], [.gzip, .gzip]), ([""], []),
        ] as [([String], [ContentDecoding])]
    )
    func `the coding that was applied last is removed first`(lines: [String], expected: [ContentDecoding]) throws {
        let plan = try DecodingPlan(lines, status: 200, hasBody: true)

        #expect(plan.decodings == expected)
    }

    @Test(
        arguments: [
            (["compress"], []), (["utf-8"], []), (["gzip;q=1"], []), (["aes128gcm"], []), (["gzip gzip"], []),
            (["x-custom, gzip"], [.gzip]), (["gzip", "exi", "gzip"], [.gzip]), (["gzip, exi, deflate"], [.deflate]),
            (["gzip, utf-8"], []),
        ] as [([String], [ContentDecoding])]
    )
    func `a coding that cannot be removed is kept, with those below it`(
        lines: [String],
        expected: [ContentDecoding]
    ) throws {
        let plan = try DecodingPlan(lines, status: 200, hasBody: true)

        #expect(plan.decodings == expected)
    }

    @Test
    func `a body with too many codings is an error`() {
        let error = #expect(throws: RestClientError.self) {
            try DecodingPlan(["gzip, gzip, gzip, gzip, gzip"], status: 200, hasBody: true)
        }

        #expect(error?.code == .unsupportedContentCoding)
    }

    @Test(arguments: [(206, true), (204, true), (304, true), (200, false)])
    func `a part of a body, and none at all, are left alone`(status: Int, hasBody: Bool) throws {
        let plan = try DecodingPlan(["exi, gzip"], status: status, hasBody: hasBody)

        #expect(plan.decodings.isEmpty)
    }
}
