// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport

@testable import RestClient

/// A client with a clock in the test's hand, whose server counts: every response is another number.
struct CachedClient {
    let wall = WallClock()
    let client: StubbedClient
    private let down: Down

    /// The failure of a server that is down.
    final class Down: Sendable {
        private let state = Recorder<RawResponse?>()
        private let failures = Recorder<RestClientError.Code?>()

        var response: RawResponse? { state.elements.last ?? nil }
        var code: RestClientError.Code? { failures.elements.last ?? nil }

        func answer(_ response: RawResponse?) { state.record(response) }
        func fail(_ code: RestClientError.Code?) { failures.record(code) }
    }

    init(
        headers: HTTPFields = [:],
        gate: Gate = Gate(isOpen: true),
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) {
        let (wall, down, counter) = (wall, Down(), Counter())
        self.down = down
        let transport = StubTransport { request in
            let number = counter.next()
            try await gate.wait()
            if let code = down.code { throw RestClientError(code, "down") }
            if let response = down.response { return response }
            if let tag = headers[.eTag], request.headers[.ifNoneMatch] == tag { return .status(.notModified) }
            return .text("\(number)", headers: headers)
        }
        client = StubbedClient(transport) { configuration in
            configuration.now = { wall.now }
            configure(&configuration)
        }
        client.manager.apis[APIAlias<Int>(rawValue: "number")] = API(.get, "/number")
    }

    var manager: RestClientManager { client.manager }
    var requests: [TransportRequest] { client.requests }

    /// A call of the server's counter.
    func call(_ policy: CachePolicy? = nil) -> RequestNode<Int> {
        let node = manager.request(APIAlias<Int>(rawValue: "number"))
        return policy.map { node.cache($0) } ?? node
    }

    /// Lets the server fail from now on, or no more.
    func fail(_ code: RestClientError.Code?) { down.fail(code) }

    /// Lets the server send another response from now on, or none.
    func answer(_ response: RawResponse?) { down.answer(response) }
}
