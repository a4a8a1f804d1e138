// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct RestClientErrorTests {
    private struct Cause: Error {}

    @Test
    func `a description says kind, sentence, request and cause`() async {
        let client = StubbedClient(
            StubTransport { _ in throw RestClientError(.tlsFailed, "no trust", underlying: Cause()) }
        )
        client.manager.apis[APIAlias<Void>("orders")] = API(.get, "/orders")
        let error = await client.failure { $0.api("orders") }
        #expect(
            error?.description
                == "tlsFailed: no trust (GET https://api.example.com/v1/orders, API 'orders'); underlying: Cause()"
        )
    }

    @Test(arguments: [
        (RestClientError.Code.hostNotFound, FailureClass.network),
        (.connectionFailed, .network), (.connectionClosed, .network), (.tlsFailed, .network), (.proxyFailed, .network),
        (.transportClosed, .network), (.transportFailed, .network),
        (.timeout, .timeout),
        (.unknownServer, .internal), (.decodingFailed, .internal), (.invalidHeader, .internal),
        (.unacceptableStatus, .status),
    ])
    func `each kind has its class`(code: RestClientError.Code, expected: FailureClass) {
        #expect(RestClientError(code, "").failureClass == expected)
    }

    @Test
    func `codes are distinct and are described by name`() {
        #expect(RestClientError.Code.timeout != .notCached)
        #expect(RestClientError.Code.timeout.description == "timeout")
        #expect(Set([RestClientError.Code.timeout, .timeout]).count == 1)
    }

    @Test
    func `a body of another type decodes to nil`() {
        let error = RestClientError(.unacceptableStatus, "", response: .text("<html>", .badGateway))
        #expect(error.decodedBody(as: [String: String].self) == nil)
        #expect(RestClientError(.timeout, "").decodedBody(as: [String: String].self) == nil)
        #expect(
            RestClientError(.unacceptableStatus, "", response: .status(.badGateway)).decodedBody(as: Int.self) == nil
        )
    }

    @Test
    func `an error of an inner call keeps the inner call's request`() async {
        let inner = StubbedClient(answering: .status(.notFound))
        let outer = StubbedClient(
            StubTransport { _ in
                try await inner.manager.request(Void.self).endpoint("/inner").send()
                return RawResponse()
            }
        )
        let error = await outer.failure { $0.endpoint("/outer") }
        #expect(error?.request?.url == "https://api.example.com/v1/inner")
    }
}
