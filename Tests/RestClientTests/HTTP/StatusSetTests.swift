// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct StatusSetTests {
    @Test(arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false)])
    func `every 2xx status is successful and no other`(code: Int, isSuccess: Bool) {
        #expect(StatusSet.successful.contains(.init(code: code)) == isSuccess)
    }

    @Test
    func `a list, a range and their union contain their members`() {
        let set = StatusSet(200..<202).union([.notFound])
        #expect([200, 201, 202, 404].map { set.contains(.init(code: $0)) } == [true, true, false, true])
        #expect(StatusSet.any.contains(.init(code: 599)))
        let none: StatusSet = []
        #expect(!none.contains(.ok))
    }
}
