// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite
struct RetryPolicyTests {
    private func error(
        _ code: RestClientError.Code,
        _ method: HTTPRequest.Method = .get,
        status: Int = 200,
        headers: HTTPFields = [:],
        attempts: Int = 1
    ) -> RestClientError {
        let response = code == .unacceptableStatus ? RawResponse(status: .init(code: status), headers: headers) : nil
        var error = RestClientError(code, "", response: response)
        error.parts.request = RequestSummary(
            method: method,
            url: nil,
            api: nil,
            server: nil,
            template: nil,
            callIdentifier: nil
        )
        error.parts.attempts = attempts
        return error
    }

    // MARK: - Which errors

    @Test(arguments: [(408, true), (425, true), (429, true), (500, true), (502, true), (503, true), (504, true)])
    func `statuses that may pass are attempted again`(status: Int, again: Bool) {
        #expect(
            RetryPolicy.steady(2).decision(after: error(.unacceptableStatus, status: status))
                == .retry(after: .seconds(1))
        )
    }

    @Test(arguments: [400, 401, 403, 404, 409, 410, 422, 501])
    func `statuses that will not pass are not attempted again`(status: Int) {
        #expect(
            RetryPolicy.steady(2).decision(after: error(.unacceptableStatus, status: status)) == .stop(.notTemporary)
        )
    }

    @Test(arguments: [
        RestClientError.Code.hostNotFound, .connectionFailed, .connectionClosed, .timeout, .transportFailed,
    ])
    func `failures of the network are attempted again`(code: RestClientError.Code) {
        #expect(RetryPolicy.steady(2).decision(after: error(code)) == .retry(after: .seconds(1)))
    }

    @Test(arguments: [
        RestClientError.Code.decodingFailed, .unknownServer, .tlsFailed, .proxyFailed, .responseTooLarge, .notCached,
    ])
    func `failures that stay are not attempted again`(code: RestClientError.Code) {
        #expect(RetryPolicy.steady(2).decision(after: error(code)) == .stop(.notTemporary))
    }

    @Test
    func `errors of one's own are attempted again, and a rule of one's own decides otherwise`() {
        var policy = RetryPolicy.steady(2)
        #expect(policy.decision() == .retry(after: .seconds(1)))
        policy.isRetryable = { !($0 is RetryPolicy.UnknownError) }
        #expect(policy.decision() == .stop(.notTemporary))
        #expect(policy.decision(after: error(.unacceptableStatus, status: 404)) == .retry(after: .seconds(1)))
    }

    @Test(arguments: [
        (RestClientError.Code.connectionFailed, 0, 1, true), (.hostNotFound, 0, 1, true), (.timeout, 0, 0, true),
        (.timeout, 0, 1, false), (.connectionClosed, 0, 1, false), (.unacceptableStatus, 500, 1, false),
        (.unacceptableStatus, 503, 1, false), (.unacceptableStatus, 429, 1, true), (.unacceptableStatus, 425, 1, true),
    ])
    func `an unsafe request is repeated only when it had no effect`(
        code: RestClientError.Code,
        status: Int,
        attempts: Int,
        again: Bool
    ) {
        let error = error(code, .post, status: status, attempts: attempts)
        #expect(
            RetryPolicy.steady(2).decision(after: error)
                == (again ? .retry(after: .seconds(1)) : .stop(.mayHaveHadEffect))
        )
        var policy = RetryPolicy.steady(2)
        policy.retriesUnsafeWork = true
        #expect(policy.decision(after: error) == .retry(after: .seconds(1)))
    }

    // MARK: - How often, and when

    // The time of day is Fri, 15 Jan 2027 08:00:00 GMT.
    @Test(arguments: [
        ("3", 3.0), ("0", 1), (" 7 ", 7), ("soon", 1), ("-4", 1), ("1.5", 2), ("2.0", 2), ("2.0001", 3), ("1e9", 1),
        (".5", 1), ("1.", 1), ("+5", 1), ("5 5", 1), ("5, 5", 1), ("5s", 1), ("1800000005", 5), ("1800000005000", 5),
        ("1799999000", 1),
        ("Fri, 15 Jan 2027 08:00:05 GMT", 5), (" Friday, 15-Jan-27 08:00:20 GMT", 20), ("Fri Jan 15 08:00:30 2027", 30),
        ("Fri, 15 Jan 2027 07:59:00 GMT", 1), ("Fri, 15 Jan 2027 08:00:05 CET", 1),
        ("2027-01-15T08:00:05Z", 5), ("2027-01-15T08:00:05.500Z", 5.5), ("2027-01-15T09:00:20+01:00", 20),
        ("2027-01-15T07:59:00Z", 1), ("2027-01-15", 1), ("T", 1),
    ])
    func `the server's Retry-After is waited at least`(value: String, seconds: Double) {
        let error = error(.unacceptableStatus, status: 503, headers: [.retryAfter: value])
        #expect(RetryPolicy.steady(2).decision(after: error) == .retry(after: .seconds(seconds)))
    }

    @Test(arguments: [
        "31", "30.5", "1000000000", "2000000000", "99999999999999999999", "Fri, 15 Jan 2027 08:00:31 GMT",
        "2027-01-15T08:00:31Z", "9999-12-31T23:59:59Z",
    ])
    func `a Retry-After longer than the limit ends the attempts`(value: String) {
        let error = error(.unacceptableStatus, status: 503, headers: [.retryAfter: value])
        #expect(RetryPolicy.steady(2).decision(after: error) == .stop(.requestedDelayTooLong))
    }

    @Test(
        arguments: ["retry-after-ms", "x-ms-retry-after-ms"],
        [("2500", 2.5), ("1000.5", 1.0005), ("200", 1), ("0", 1), ("-1", 3), ("soon", 3), ("", 3), ("1e9", 3)]
    )
    func `a wait in milliseconds is waited exactly, in place of that in seconds`(
        name: String,
        wait: (text: String, seconds: Double)
    ) throws {
        let field = try #require(HTTPField.Name(name))
        let error = error(.unacceptableStatus, status: 429, headers: [.retryAfter: "3", field: wait.text])

        #expect(RetryPolicy.steady(2).decision(after: error) == .retry(after: .seconds(wait.seconds)))
    }

    @Test(arguments: ["30001", "1800000000000", "99999999999999999999999999"])
    func `a wait in milliseconds that is longer than the limit ends the attempts`(text: String) throws {
        let field = try #require(HTTPField.Name("retry-after-ms"))
        let error = error(.unacceptableStatus, status: 429, headers: [field: text])

        #expect(RetryPolicy.steady(2).decision(after: error) == .stop(.requestedDelayTooLong))
    }
}
