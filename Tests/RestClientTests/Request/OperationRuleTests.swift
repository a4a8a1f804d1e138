// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

/// The reading of responses that tell of a long-running operation.
@Suite
struct OperationRuleTests {
    typealias Result = OperationPosition.Result

    private static let url = "https://api.example.com/v1/reports"
    private static let state = "https://api.example.com/v1/states/7"
    private static let nextState = "https://api.example.com/v1/states/8"
    private static let monitorField: HTTPFields = fields("Operation-Location", "states/7")

    private static func fields(_ name: String, _ value: String, _ others: HTTPFields = [:]) -> HTTPFields {
        var fields = others
        if let name = HTTPField.Name(name) {
            fields[name] = value
        }
        return fields
    }

    private static func response(_ code: Int, _ headers: HTTPFields, _ body: String) -> RawResponse {
        RawResponse(status: .init(code: code), headers: headers, body: Data(body.utf8))
    }

    private static func running(
        _ address: String = state,
        isMonitor: Bool = true,
        _ result: Result = .last
    ) -> OperationReading {
        .running(OperationPosition(address: address, isMonitor: isMonitor, result: result))
    }

    private func read(
        _ response: RawResponse,
        at position: OperationPosition? = nil,
        method: HTTPRequest.Method = .post,
        by rule: OperationRule = .standard,
        wantsResult: Bool = true
    ) throws(RestClientError) -> OperationReading {
        let terms = OperationTerms(method: method, allowsPlainHTTP: false, wantsResult: wantsResult)
        return try rule.reading(response, from: position?.address ?? Self.url, at: position, terms)
    }

    // MARK: - The first response

    private static let ended = OperationReading.succeeded(.last)
    private static let monitorAndLocation = fields("Operation-Location", "states/7", [.location: "r/1"])
    private static let resource = "https://api.example.com/v1/r/1"

    @Test(
        arguments: [
            (.post, 202, [.location: "states/7"], "", running(isMonitor: false)),
            (.delete, 202, [.location: "/v1/states/7"], #"{"status": "Failed"}"#, running(isMonitor: false)),
            (.post, 202, monitorField, "", running()),
            (.post, 200, monitorField, "{}", running()), (.post, 201, monitorField, "{}", running()),
            (.post, 202, fields("Azure-AsyncOperation", "states/7"), "", running()),
            // The first of the two is the one that says more.
            (.post, 202, fields("Operation-Location", "states/7", fields("Azure-AsyncOperation", "x")), "", running()),
            (.post, 202, monitorAndLocation, "", running(state, .url(resource))),
            (.put, 201, monitorAndLocation, "{}", running(state, .own)),
            (.patch, 200, monitorField, "{}", running(state, .own)), (.delete, 202, monitorField, "", running()),
            (.post, 200, [:], "{}", ended), (.post, 200, [.location: "r/1"], "", ended),
            (.post, 204, monitorField, "", ended),
            (.post, 201, [.location: "r/1"], #"{"status": "running"}"#, ended),
            (.post, 201, [.location: "r/1"], " ", .succeeded(.url(resource))), (.post, 201, [:], "", ended),
            (.post, 200, [.location: ""], "", ended),
        ] as [(HTTPRequest.Method, Int, HTTPFields, String, OperationReading)]
    )
    func `the first response says whether there is an operation, and where its state is`(
        method: HTTPRequest.Method,
        code: Int,
        headers: HTTPFields,
        body: String,
        reading: OperationReading
    ) throws {
        #expect(try read(Self.response(code, headers, body), method: method) == reading)
    }

    @Test
    func `an accepted request without a URL is an error, which has the response`() throws {
        let error = #expect(throws: RestClientError.self) { try read(Self.response(202, [:], "{}")) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.response?.status == .accepted)
    }

    // MARK: - The responses after it

    private static let monitor = OperationPosition(address: state, isMonitor: true, result: .own, key: "k")
    private static let location = OperationPosition(address: state, isMonitor: false)

    private static func moved(_ position: OperationPosition, to address: String) -> OperationReading {
        var position = position
        position.address = address
        return .running(position)
    }

    @Test(
        arguments: [
            (location, 202, [:], "", .running(location)), (location, 200, [:], #"{"status": "Running"}"#, ended),
            (location, 204, [:], "", ended), (location, 202, [.location: "8"], "", moved(location, to: nextState)),
            (location, 202, fields("Operation-Location", "8"), "", .running(location)),
            (monitor, 200, [:], #"{"status": "Running"}"#, .running(monitor)),
            (monitor, 200, [:], #"{"status": "anything else"}"#, .running(monitor)),
            (monitor, 202, [:], "", .running(monitor)),
            (monitor, 202, [:], #"{"status": "Succeeded"}"#, .succeeded(.own)),
            (
                monitor, 200, fields("Operation-Location", "8"), #"{"state": "RUNNING"}"#,
                moved(monitor, to: nextState)
            ),
            (monitor, 200, [:], #"{"status": "Succeeded"}"#, .succeeded(.own)),
            (monitor, 200, [:], #"{"state": "DONE"}"#, .succeeded(.own)),
            (monitor, 200, [:], #"{"status": 3, "state": "done"}"#, .succeeded(.own)),
            (monitor, 200, [:], #"{"properties": {"provisioningState": "Succeeded"}}"#, .succeeded(.own)),
            (monitor, 200, [:], #"{"status": "succeeded", "resourceLocation": "/v1/r/1"}"#, .succeeded(.url(resource))),
            (monitor, 204, [:], "", .succeeded(.own)),
            (monitor, 200, [:], #"{"status": "Canceled"}"#, .failed(nil)),
            (monitor, 200, [:], #"{"status": "TIMED_OUT", "error": "too slow"}"#, .failed("too slow")),
            (
                monitor, 200, [:], #"{"status": "Failed", "error": {"code": "Quota", "message": "used up"}}"#,
                .failed("Quota: used up")
            ),
            (
                monitor, 200, [:], #"{"status": "Failed", "title": "Quota", "detail": "used up"}"#,
                .failed("Quota: used up")
            ),
        ] as [(OperationPosition, Int, HTTPFields, String, OperationReading)]
    )
    func `each further response says how far the operation is`(
        position: OperationPosition,
        code: Int,
        headers: HTTPFields,
        body: String,
        reading: OperationReading
    ) throws {
        #expect(try read(Self.response(code, headers, body), at: position) == reading)
    }

    @Test(arguments: ["[]", "{}", "ready", #"{"status": null}"#, #"{"status": true}"#, #"{"status": {"a": "done"}}"#])
    func `a body that says nothing of the state is an error and not a result`(body: String) throws {
        let error = #expect(throws: RestClientError.self) { try read(Self.response(200, [:], body), at: Self.monitor) }
        #expect(error?.code == .decodingFailed)
    }

    @Test
    func `nothing is loaded for a model that is nothing`() throws {
        let done = Self.response(200, [:], #"{"status": "done", "resourceLocation": "/v1/r/1"}"#)
        #expect(try read(done, at: Self.monitor, wantsResult: false) == Self.ended)
        let created = Self.response(201, [.location: "r/1"], "")
        #expect(try read(created, wantsResult: false) == Self.ended)
    }

    // MARK: - Other servers

    @Test(
        arguments: [
            (#"{"job": {"phase": "Running"}}"#, .running(location)), (#"{"job": {"phase": "live"}}"#, ended),
            (#"{"job": {"phase": "Shelved", "error": "no room"}}"#, .failed(nil)),
            (#"{"job": {"phase": "DONE"}}"#, .failed(nil)), (#"{"job": {"phase": false}}"#, .running(location)),
            (#"{"job": {"phase": true}}"#, ended), (#"{"job": 1}"#, ended), ("[1]", ended),
        ] as [(String, OperationReading)]
    )
    func `the status may be any member, with words of the server's own`(
        body: String,
        reading: OperationReading
    ) throws {
        let rule = OperationRule.standard.status(at: "job.phase", succeeded: ["LIVE"], failed: ["shelved", "done"])
        #expect(try read(Self.response(200, [:], body), at: Self.location, by: rule) == reading)
    }

    @Test
    func `a created resource whose status says so is awaited at its URL`() throws {
        let rule = OperationRule.standard.status(at: "status")
        let first = Self.response(201, [.location: "states/7"], #"{"status": "creating"}"#)
        #expect(try read(first, by: rule) == Self.running(isMonitor: false))
    }

    @Test
    func `a rule of one's own reads each response`() throws {
        struct Unreadable: Error {}
        let rule = OperationRule.reading { response in
            switch String(decoding: response.body, as: UTF8.self) {
            case "here": .running(at: "states/7")
            case "again": .running()
            case "there": .succeeded(result: "/v1/r/1")
            case "done": .succeeded()
            case "bad": .failed("no")
            default: throw Unreadable()
            }
        }
        func state(_ body: String, _ position: OperationPosition? = nil) throws(RestClientError) -> OperationReading {
            try read(Self.response(200, [:], body), at: position, by: rule)
        }
        #expect(try state("here") == Self.running())
        #expect(try state("again", Self.monitor) == .running(Self.monitor))
        #expect(try state("there") == .succeeded(.url(Self.resource)))
        #expect(try state("done", Self.monitor) == Self.ended)
        #expect(try state("bad") == .failed("no"))
        for (body, hasCause) in [("again", false), ("?", true)] {
            let error = #expect(throws: RestClientError.self) { try state(body) }
            #expect(error?.code == .decodingFailed)
            #expect((error?.underlying is Unreadable) == hasCause)
        }
    }

    // MARK: - URLs

    @Test(
        arguments: [
            ("http://api.example.com/x", PageOrigins.any), ("file:///etc/passwd", .any), ("https://", .any),
            ("https://kim:s3cret@api.example.com/x", .any), ("https://evil.example/x", .same),
        ]
    )
    func `a URL that a page must not have is an error here too`(reference: String, origins: PageOrigins) throws {
        let rule = OperationRule.standard.origins(origins)
        let first = Self.response(202, [.location: reference], "")
        let done = Self.response(200, [:], #"{"status": "done", "resourceLocation": "\#(reference)"}"#)
        for (response, position) in [(first, nil), (done, Self.monitor)] as [(RawResponse, OperationPosition?)] {
            let error = #expect(throws: RestClientError.self) { try read(response, at: position, by: rule) }
            #expect(error?.code == .pageRefused)
            #expect(error?.message.contains("the operation") == true)
            #expect(error?.message.contains("s3cret") == false)
        }
    }

    @Test
    func `a URL is relative to the response after redirects`() throws {
        var response = Self.response(202, [.location: "7"], "")
        response.url = "https://other.example/begun/"
        #expect(try read(response) == Self.running("https://other.example/begun/7", isMonitor: false))
    }

    @Test
    func `an error has the server's reason without its secrets, and not all of it`() {
        let reason = "see https://h/?token=s3cret " + String(repeating: "x", count: 10_000)
        let error = OperationRule.failure(reason, RawResponse())
        #expect(error.code == .operationFailed)
        #expect(error.message.contains("https://h/?token="))
        #expect(!error.message.contains("s3cret"))
        #expect(error.message.utf8.count < 1_000)
        #expect(OperationRule.failure(nil, RawResponse()).message == "the operation has failed, or was cancelled")
    }

    @Test(arguments: [Result.last, .own, .url("https://h/r")])
    func `a position is the same after it was stored`(result: Result) throws {
        let position = OperationPosition(address: "https://h/s?sig=a%2Fb", isMonitor: true, result: result, key: "k")
        let bytes = try JSONEncoder().encode(position)
        #expect(try JSONDecoder().decode(OperationPosition.self, from: bytes) == position)
    }

    @Test(
        arguments: [
            ("https://h/s?page=1", Result.last, false), ("https://h/s?token=a", .last, true),
            ("https://h/s", .url("https://h/r?token=a"), true), ("https://h/s", .own, false),
        ]
    )
    func `a position with a secret in one of its URLs is a secret`(url: String, result: Result, isSecret: Bool) {
        #expect(OperationPosition(address: url, isMonitor: true, result: result).isSecret == isSecret)
    }
}
