// SPDX-License-Identifier: MIT

package import HTTPTypes
package import RestClient
import RestClientTesting
import RestEssentials

/// A transport without a network: records requests, and responds as the test says.
package final class StubTransport: Transport {
    package typealias Handler = @Sendable (TransportRequest) async throws -> RawResponse

    private let recorder = Recorder<TransportRequest>()
    private let answer: Handler

    /// Creates a transport.
    ///
    /// By default it responds with status 200 and no body.
    package init(_ answer: @escaping Handler = { _ in RawResponse() }) {
        self.answer = answer
    }

    /// Creates a transport that returns these responses in turn, and then repeats the last one.
    package convenience init(answering answers: [RawResponse]) {
        let remaining = Recorder<Void>()
        self.init { _ in
            remaining.record(())
            return answers[min(remaining.count, answers.count) - 1]
        }
    }

    /// The requests that were sent, oldest first.
    package var requests: [TransportRequest] { recorder.elements }

    /// Waits until so many requests have been sent.
    package func waitForRequests(count: Int) async throws {
        try await recorder.waitForCount(count)
    }

    package func send(_ request: TransportRequest) async throws -> RawResponse {
        recorder.record(request)
        return try await answer(request)
    }
}

extension RawResponse {
    /// A response with a text body.
    package static func text(
        _ text: String,
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> RawResponse {
        RawResponse(status: status, headers: headers, body: Data(text.utf8))
    }

    /// A response without a body.
    package static func status(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> RawResponse {
        RawResponse(status: status, headers: headers)
    }

    /// A redirect.
    package static func redirect(_ code: Int, to location: String) -> RawResponse {
        RawResponse(status: .init(code: code), headers: [.location: location])
    }
}

extension TransportRequest {
    /// The body as text; `nil` when there is none.
    package var bodyText: String? { body?.bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The query of the URL, behind its question mark; `nil` when there is none.
    package var query: String? {
        url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) }
    }
}
