// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct QueryModelTests {
    private struct Filter: Encodable, Sendable {
        enum State: String, Encodable { case open, closed }

        var state = State.open
        var minimum: Int?
        var tags = ["a b", "c"]
        var isPaid = true
    }

    @Test
    func `the members of a model become items, in the order of their names`() async throws {
        let request = try await sent { $0.endpoint("/a").query("x", 1).query(Filter()) }
        #expect(request.query == "x=1&isPaid=true&state=open&tags=a%20b&tags=c")
    }

    @Test
    func `the model is encoded as the query encoding says`() async throws {
        let encoding = QueryEncoding(lists: .commas, bools: .digits)
        let request = try await sent { $0.endpoint("/a").queryEncoding(encoding).query(Filter(minimum: 3)) }
        #expect(request.query == "isPaid=1&minimum=3&state=open&tags=a%20b,c")
    }

    @Test
    func `two models of equal calls are not taken for one`() async throws {
        let client = StubbedClient()
        for minimum in [1, 2] {
            try await client.manager.request(Void.self).endpoint("/a").query(Filter(minimum: minimum, tags: [])).send()
        }
        #expect(
            client.requests.map(\.query) == ["isPaid=true&minimum=1&state=open", "isPaid=true&minimum=2&state=open"]
        )
    }

    @Test
    func `a model without names is an error before anything is sent`() async throws {
        let client = StubbedClient()
        let error = await client.failure { $0.endpoint("/a").query([1, 2]) }
        #expect(error?.code == .encodingFailed)
        #expect(client.requests.isEmpty)
    }
}
