// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient
@testable import RestClientTesting

@Suite
struct RequestMatcherTests {
    /// Returns how a request differs from a matcher; `nil` if it matches.
    private func difference(
        _ matcher: RequestMatcher,
        query: String = "",
        headers: HTTPFields = [:],
        body: String? = nil,
        parameters: [String: String] = [:]
    ) -> String? {
        var request = DummyRequest(
            method: .post,
            url: "https://api.example.com/a?\(query)",
            headers: headers,
            body: body.map { Data($0.utf8) },
            api: nil
        )
        request.parameters = parameters
        var read = RequestMatcher.Body()
        return matcher.difference(in: request, body: &read)
    }

    @Test(
        arguments: [
            (.query("page", 2), "page=2", nil),
            (.query("page", "2"), "page=1&page=2", nil),
            (.query("page", 2), "page=3", "query page: '3' instead of '2'"),
            (.query("page", 2), "", "query page: missing instead of '2'"),
            (.query("page", 2), "Page=2", "query page: missing instead of '2'"),
            (.query("q", "a b&c"), "q=a%20b%26c", nil),
            (.query("on", true), "on=true", nil),
            (.query("id", [1, 2]), "id=1&id=2", nil),
            (.query("id", [1, 2]), "id=2&id=1", "query id: '2', '1' instead of '1', '2'"),
            (.query("page"), "page=", nil),
            (.query("page"), "size=1", "query page: missing"),
            (.withoutQuery("page"), "size=1", nil),
            (.withoutQuery("page"), "page=1", "query page: there, and must not be"),
            (.query("token", "a"), "token=s3cret", "query token: another value than the one wanted"),
            (.query("token", "s3cret"), "", "query token: missing instead of <redacted>"),
        ] as [(RequestMatcher, String, String?)]
    )
    func `query items are compared decoded`(matcher: RequestMatcher, query: String, text: String?) {
        #expect(difference(matcher, query: query) == text)
    }

    @Test(
        arguments: [
            (.header(.accept, "text/plain"), [.accept: "text/plain"], nil),
            (.header(.accept, "text/plain"), [:], "header Accept: missing instead of 'text/plain'"),
            (.header(.accept, "a"), [.accept: "b"], "header Accept: 'b' instead of 'a'"),
            (.header(.accept), [.accept: "b"], nil),
            (.header(.accept), [:], "header Accept: missing"),
            (.withoutHeader(.accept), [.accept: "b"], "header Accept: there, and must not be"),
            (.withoutHeader(.accept), [:], nil),
            (
                .header(.authorization, "Bearer a"), [.authorization: "Bearer s3cret"],
                "header Authorization: another value than the one wanted"
            ),
            (.header(.authorization, "s3cret"), [:], "header Authorization: missing instead of <redacted>"),
        ] as [(RequestMatcher, HTTPFields, String?)]
    )
    func `header fields are compared, and secrets not shown`(
        matcher: RequestMatcher,
        headers: HTTPFields,
        text: String?
    ) {
        #expect(difference(matcher, headers: headers) == text)
    }

    @Test
    func `one of several lines of a field is enough, and so are all together`() {
        var headers: HTTPFields = [:]
        headers.append(HTTPField(name: .accept, value: "a"))
        headers.append(HTTPField(name: .accept, value: "b"))
        #expect(difference(.header(.accept, "b"), headers: headers) == nil)
        #expect(difference(.header(.accept, "a, b"), headers: headers) == nil)
    }

    @Test(
        arguments: [
            (.json(["id": 1]), #"{"id":1.0}"#, nil),
            (.json(["id": 1]), #"{ "id" : 2 }"#, "body: /id is 2 instead of 1"),
            (.json(["id": 1], ignoring: ["at"]), #"{"id":1,"at":"now"}"#, nil),
            (.json(containing: ["id": 1]), #"{"id":1,"at":"now"}"#, nil),
            (.json(["id": 1]), "id=1", "body: not JSON (4 bytes)"),
            (.json(["id": 1]), #"{"id":1"#, "body: not JSON (7 bytes)"),
            (.json(["id": 1]), nil, "body: none, instead of JSON"),
            (.json(["id": 1]), "", "body: none, instead of JSON"),
            (.body(containing: "needle"), "a needle here", nil),
            (.body(containing: "needle"), "hay", "body: without 'needle'"),
            (.body([97, 98]), "ab", nil),
            (.body([97, 98]), "abc", "body: other bytes (3 instead of 2)"),
            (.body([]), nil, nil),
            (.formField("grant_type", "password"), "grant_type=password&user=kim", nil),
            (.formField("name", "a b"), "name=a+b", nil),
            (.formField("name", "a"), "name=b", "form field name: 'b' instead of 'a'"),
            (.formField("password", "a"), "password=b", "form field password: another value than the one wanted"),
        ] as [(RequestMatcher, String?, String?)]
    )
    func `bodies are compared as JSON, form, text or bytes`(matcher: RequestMatcher, body: String?, text: String?) {
        #expect(difference(matcher, body: body) == text)
    }

    @Test
    func `JSON that is nested too deeply is refused, and does no harm`() {
        let body = String(repeating: "[", count: 100_000)
        #expect(difference(.json([]), body: body) == "body: not JSON (100000 bytes)")
    }

    @Test
    func `a parameter of the path is compared decoded`() {
        #expect(difference(.parameter("id", 7), parameters: ["id": "7"]) == nil)
        #expect(difference(.parameter("id", 7), parameters: ["id": "8"]) == "parameter id: '8' instead of '7'")
    }

    @Test
    func `a condition of one's own is named, also when it throws`() {
        struct Odd: Error {}
        #expect(difference(.predicate("small") { $0.body == nil }) == nil)
        #expect(difference(.predicate("small") { $0.body == nil }, body: "x") == "condition 'small': not met")
        #expect(difference(.predicate("odd") { _ in throw Odd() }) == "condition 'odd': not met, as it threw Odd()")
    }

    @Test(
        arguments: [
            (.query("a", 1), .query("a", 2), true), (.query("a", 1), .query("a", 1), false),
            (.query("a", 1), .query("b", 2), false), (.query("a", 1), .query("a"), false),
            (.header(.accept, "a"), .header(.accept, "b"), true), (.json(["a": 1]), .json(["a": 2]), true),
            (.json(["a": 1]), .json(containing: ["a": 2]), false),
            (.predicate("x") { _ in true }, .predicate("x") { _ in false }, false),
        ] as [(RequestMatcher, RequestMatcher, Bool)]
    )
    func `two values of one field exclude one another`(left: RequestMatcher, right: RequestMatcher, excludes: Bool) {
        #expect(left.excludes(right) == excludes)
        #expect(right.excludes(left) == excludes)
    }

    @Test
    func `a matcher describes itself without secrets`() {
        #expect(RequestMatcher.query("page", 2).description == "query page is '2'")
        #expect(RequestMatcher.header(.authorization, "s3cret").description == "header Authorization is <redacted>")
        #expect(!RequestMatcher.json(["password": "s3cret"]).description.contains("s3cret"))
    }
}
