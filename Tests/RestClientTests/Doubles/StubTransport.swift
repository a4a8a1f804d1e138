// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport

/// A transport without a network: keeps what it is given, and answers as the test says.
final class StubTransport: Transport {
    typealias Answer = @Sendable (TransportRequest) async throws -> RawResponse

    private let recorder = Recorder<TransportRequest>()
    private let answer: Answer

    /// Creates a transport; it answers 200 without a body unless the test says otherwise.
    init(_ answer: @escaping Answer = { _ in RawResponse() }) {
        self.answer = answer
    }

    /// Creates a transport that gives these answers one after the other, the last one for ever.
    convenience init(answering answers: [RawResponse]) {
        let remaining = Recorder<Void>()
        self.init { _ in
            remaining.record(())
            return answers[min(remaining.count, answers.count) - 1]
        }
    }

    /// Everything that was put on the wire, oldest first.
    var requests: [TransportRequest] { recorder.elements }

    /// Waits until so many requests are on the wire or have been.
    func waitForRequests(count: Int) async throws {
        try await recorder.waitForCount(count)
    }

    func send(_ request: TransportRequest) async throws -> RawResponse {
        recorder.record(request)
        return try await answer(request)
    }
}

extension RawResponse {
    /// A response with a text body.
    static func text(
        _ text: String,
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> RawResponse {
        RawResponse(status: status, headers: headers, body: Data(text.utf8))
    }

    /// A response without a body.
    static func status(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> RawResponse {
        RawResponse(status: status, headers: headers)
    }

    /// A response that leads elsewhere.
    static func redirect(_ code: Int, to location: String) -> RawResponse {
        RawResponse(status: .init(code: code), headers: [.location: location])
    }
}

extension TransportRequest {
    /// The body as text; `nil` when there is none.
    var bodyText: String? { body.map { String(decoding: $0, as: UTF8.self) } }

    /// What follows the question mark of the URL; `nil` when there is none.
    var query: String? {
        url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) }
    }
}
