// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The problem details that servers report (RFC 9457).
@Suite(.timeLimit(.minutes(5)))
struct ProblemDetailsTests {
    private static let credit = """
        {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit",
         "detail": "Your balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc", "status": 400,
         "balance": 30, "accounts": ["/account/1"]}
        """

    private static func response(_ body: String, _ type: String = "application/problem+json") -> RawResponse {
        .text(body, .forbidden, headers: [.contentType: type])
    }

    private static func error(_ body: String, _ type: String = "application/problem+json") async -> RestClientError? {
        await StubbedClient(answering: response(body, type)).failure { $0.endpoint("/pay") }
    }

    @Test(arguments: ["application/problem+json", "Application/Problem+JSON; charset=utf-8"])
    func `an error has what the server says of the problem`(type: String) async throws {
        let error = try #require(await Self.error(Self.credit, type))
        let problem = try #require(error.problem)

        #expect(problem.type == "https://example.com/probs/out-of-credit")
        #expect(problem.title == "You do not have enough credit")
        #expect(problem.detail == "Your balance is 30, but that costs 50.")
        #expect(problem.instance == "/account/12345/msgs/abc")
        #expect(problem.status == 400)
        #expect(problem.members == ["balance": 30, "accounts": ["/account/1"]])
        #expect(error.status == .forbidden)
        #expect(
            error.message == "the server responded with 403 Forbidden: You do not have enough credit: "
                + "Your balance is 30, but that costs 50."
        )
    }

    /// Bodies and media types, and the type and the title of the problem; `nil` if there is none.
    private static let rows: [(body: String, media: String, type: String?, title: String?)] = [
        (#"{"title": "a"}"#, "application/problem+json", "about:blank", "a"),
        (#"{}"#, "application/problem+json", "about:blank", nil),
        // Members of the wrong type are ignored.
        (#"{"type": 7, "title": ["a"], "status": "403"}"#, "application/problem+json", "about:blank", nil),
        (#"{"type": null, "title": null}"#, "application/problem+json", "about:blank", nil),
        (#"{"type": "/probs/a", "title": "b"}"#, "application/problem+json", "/probs/a", "b"),
        (#"["title"]"#, "application/problem+json", nil, nil),
        (#"{"title": "a""#, "application/problem+json", nil, nil),
        ("", "application/problem+json", nil, nil),
        (#"{"title": "a"}"#, "application/json", nil, nil),
        (#"{"title": "a"}"#, "application/problem+xml", nil, nil),
        (#"{"title": "a"}"#, "text/html", nil, nil),
    ]

    @Test(arguments: rows)
    func `what is no problem leaves the body as it is`(
        row: (body: String, media: String, type: String?, title: String?)
    ) async throws {
        let error = try #require(await Self.error(row.body, row.media))

        #expect(error.problem?.type == row.type)
        #expect(error.problem?.title == row.title)
        #expect(error.problem?.members.isEmpty ?? true)
        #expect(error.response?.body == Data(row.body.utf8))
        let message = "the server responded with 403 Forbidden"
        #expect(error.message == row.title.map { "\(message): \($0)" } ?? message)
    }

    @Test
    func `a title that only repeats the status is said once`() async {
        let error = await Self.error(#"{"title": "Forbidden", "detail": "the door is closed"}"#)

        #expect(error?.message == "the server responded with 403 Forbidden: the door is closed")
    }

    @Test
    func `secrets in it are masked, and long texts are cut`() async throws {
        let long = String(repeating: "x", count: 5_000)
        let body = """
            {"title": "see https://example.com/?token=s3cret", "detail": "line\\nbreak \(long)",
             "type": "https://example.com/?api_key=s3cret"}
            """
        let error = try #require(await Self.error(body))

        for text in [error.message, error.description, "\(error.problem.map(\.description) ?? "")", error.explain()] {
            #expect(!text.contains("s3cret"))
            #expect(!text.contains("\n" + "break"))
            #expect(text.unicodeScalars.count < 3_000)
        }
        #expect(error.problem?.title == "see https://example.com/?token=s3cret")
        var dumped = ""
        dump(try #require(error.problem), to: &dumped)
        #expect(!dumped.contains("s3cret"))
    }

    @Test
    func `the text of an option takes the place of the message, and the problem stays`() async throws {
        let client = StubbedClient(answering: Self.response(Self.credit))

        let error = await client.failure { $0.endpoint("/pay").errorTexts([.forbidden: "Ask for access."]) }

        #expect(error?.message == "Ask for access.")
        #expect(error?.problem?.title == "You do not have enough credit")
    }

    @Test
    func `a stream that the server refuses has it too, and so has the event of a retry`() async throws {
        let client = StubbedClient(
            answering: .text(
                #"{"title": "closed for lunch"}"#,
                .serviceUnavailable,
                headers: [.contentType: "application/problem+json"]
            )
        )
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        let node = client.manager.request(Void.self).endpoint("/feed").retry(policy)

        let error = await #expect(throws: RestClientError.self) { _ = try await node.stream() }

        #expect(error?.problem?.title == "closed for lunch")
        #expect(error?.explain().contains("503 Service Unavailable: closed for lunch") == true)
    }

    @Test
    func `a dummy makes it`() async throws {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.post, "/pay") { _ in
            .problem(.forbidden, type: "/probs/credit", title: "Out of credit", members: ["missing": 20])
        }

        let error = await client.failure { $0.post().endpoint("/pay") }

        #expect(error?.status == .forbidden)
        #expect(error?.response?.headers[.contentType] == "application/problem+json")
        #expect(error?.problem?.type == "/probs/credit")
        #expect(error?.problem?.title == "Out of credit")
        #expect(error?.problem?.detail == nil)
        #expect(error?.problem?.status == 403)
        #expect(error?.problem?.members == ["missing": 20])
        #expect(error?.problem.map { "\($0)" } == "Out of credit (/probs/credit)")
    }
}
