// SPDX-License-Identifier: MIT

import NIOHTTP1
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct RawResponseWireTests {
    @Test
    func `what is added to a head does not reach the response`() throws {
        let hints = HTTPResponseHead(version: .http2, status: .init(statusCode: 103), headers: ["link": "</a>"])
        let own = HTTPResponseHead(version: .http2, status: .ok, headers: ["x-mark": "1"])
        var head = InterimLines.marked(own, with: InterimLines.appending(hints, to: []))
        ConnectionBirth().mark(&head)

        let response = try RawResponse(head, body: Data(), WireClock())

        #expect(response.headers.map(\.name.rawName) == ["x-mark"])
        #expect(response.interimResponses.map(\.status.code) == [103])
        #expect(response.timings?.connecting != nil)
    }
}
