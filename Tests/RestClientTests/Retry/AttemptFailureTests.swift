// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import NIOCore
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct AttemptFailureTests {
    private struct OwnError: Error {}

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test
    func `an error that nobody knows may be repeated, before there was a request too`() {
        let failure = AttemptFailure(OwnError(), of: nil, now: Self.now)

        #expect(failure.isTransient)
        #expect(failure.repetition.allows(.retry))
        #expect(failure.requestedDelay == nil)
    }

    @Test
    func `the original error decides in place of that of a handler`() {
        let lasting = RestClientError(.invalidURL, "")

        #expect(!AttemptFailure(OwnError(), cause: lasting, of: nil, now: Self.now).isTransient)
        #expect(AttemptFailure(OwnError(), cause: RestClientError(.timeout, ""), of: nil, now: Self.now).isTransient)
        #expect(!AttemptFailure(lasting, cause: RestClientError(.timeout, ""), of: nil, now: Self.now).isTransient)
    }

    private static func expectWait(_ text: String, _ seconds: Double) {
        let response = RawResponse(status: .serviceUnavailable, headers: [.retryAfter: text])
        let error = RestClientError(.unacceptableStatus, "", response: response)

        #expect(AttemptFailure(of: error, at: now).requestedDelay == .seconds(seconds))
        #expect(AttemptFailure(OwnError(), cause: error, of: nil, now: now).requestedDelay == .seconds(seconds))
    }

    @Test(arguments: [("0", 0.0), ("7", 7.0), (" 7 ", 7.0), ("1.5", 2)])
    func `a server says in how many seconds to come back`(text: String, seconds: Double) {
        Self.expectWait(text, seconds)
    }

    @Test(arguments: [(60.0, 60.0), (0.0, 0.0), (-60.0, 0.0)])
    func `a server says when to come back, and never in the past`(offset: Double, seconds: Double) {
        Self.expectWait(HTTPDate.text(Self.now.addingTimeInterval(offset)), seconds)
    }

    @Test(arguments: ["", "-1", "1.", "soon"])
    func `what is no time is no wait`(text: String) {
        let response = RawResponse(status: .serviceUnavailable, headers: [.retryAfter: text])

        let failure = AttemptFailure(of: RestClientError(.unacceptableStatus, "", response: response), at: Self.now)

        #expect(failure.requestedDelay == nil)
        #expect(failure.isTransient)
    }

    @Test(
        arguments: [
            (RestClientError.Code.connectionFailed, nil, true), (.connectionFailed, false, false),
            (.hostNotFound, nil, true), (.timeout, nil, false), (.timeout, true, true), (.tlsFailed, true, true),
            (.tlsFailed, false, false),
        ] as [(RestClientError.Code, Bool?, Bool)]
    )
    func `whether a request was sent is what its transport says, or else what the code means`(
        code: RestClientError.Code,
        isUnsent: Bool?,
        hadNoEffect: Bool
    ) {
        var error = RestClientError(code, "")
        error.isUnsent = isUnsent

        #expect(RequestEffect.isNone(.failure(error)) == hadNoEffect)
    }

    @Test
    func `a code of the system that may end a connection does not say that nothing was sent`() {
        func failure(_ number: CInt) -> RestClientError {
            TransportFailure.error(for: IOError(errnoCode: number, reason: ""), url: "https://a.example/")
        }

        #expect(failure(ECONNREFUSED).isUnsent == true)
        #expect(failure(ENETDOWN).code == .connectionFailed)
        #expect(failure(ENETDOWN).isUnsent == false)
        #expect(failure(ECONNRESET).isUnsent == false)
    }

    @Test(arguments: [0, 1])
    func `an error without a request is repeatable`(attempts: Int) {
        var error = RestClientError(.timeout, "")
        error.parts.attempts = attempts

        #expect(AttemptFailure(of: error, at: Self.now).repetition.allows(.retry))
    }

    // The counter decides against what the response alone would say: a refusal had no effect, a 500 may have had one.
    @Test(arguments: [(429, 1, false), (500, 0, true), (500, 2, false)])
    func `what a call has counted decides whether it is repeatable`(status: Int, unsafe: Int, isRepeatable: Bool) {
        var error = RestClientError(.unacceptableStatus, "", response: RawResponse(status: .init(code: status)))
        error.parts.request = RequestSummary(
            method: .post,
            url: nil,
            api: nil,
            server: nil,
            template: nil,
            callIdentifier: nil
        )
        error.unsafeCount = unsafe

        #expect(AttemptFailure(of: error, at: Self.now).repetition.allows(.retry) == isRepeatable)
    }

    @Test
    func `a status that nobody knows is not transient`() {
        #expect(!AttemptFailure(of: RestClientError(.unacceptableStatus, ""), at: Self.now).isTransient)
    }

    @Test(arguments: [
        (408, true), (425, true), (429, true), (500, true), (502, true), (503, true), (504, true), (400, false),
        (404, false), (501, false), (505, false), (407, false), (426, false),
    ])
    func `a status is transient if it may be another one soon`(status: Int, isTransient: Bool) {
        let response = RawResponse(status: .init(code: status))

        let failure = AttemptFailure(of: RestClientError(.unacceptableStatus, "", response: response), at: Self.now)

        #expect(failure.isTransient == isTransient)
    }
}
