// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct CallStoryTests {
    private static func quick(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy(attempts: attempts)
        policy.baseDelay = .zero
        return policy
    }

    @Test
    func `a response tells its story`() async throws {
        let client = StubbedClient(
            answering: .status(.serviceUnavailable),
            .redirect(302, to: "/b?token=s3cret"),
            .text("7")
        )
        client.manager.servers["store"] = Server("https://api.example.com/v1").retry(Self.quick(3)).bearer("t0ken")
        let story = try await client.manager.request(Int.self).endpoint("/a").response().explain()
        #expect(story.contains("succeeded with 200 from network after 2 attempts"))
        #expect(story.contains("retry"))
        #expect(story.contains("server"))
        #expect(story.contains("credentials in Authorization"))
        #expect(story.contains("attempt 1 failed"))
        #expect(story.contains("redirected the call with 302"))
        #expect(!story.contains("t0ken"))
        #expect(!story.contains("s3cret"))
    }

    @Test
    func `an error tells why it was not repeated`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable))
        let error = await client.failure { $0.post().endpoint("/a").retry(Self.quick(3)) }
        let story = try #require(error?.explain())
        #expect(story.contains("failed with unacceptableStatus"))
        #expect(story.contains("not repeated: methodNotIdempotent"))
        #expect(story.contains("may have changed data"))
    }

    @Test
    func `an error without a call says what it knows`() {
        let error = RestClientError(.invalidURL, "'x' is not a URL")
        #expect(error.explain() == error.description)
    }

    @Test
    func `the time that is left goes to the server when that is asked for`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(answering: .text("7")) { $0.clock = clock }
        let name = try #require(HTTPField.Name("Request-Timeout"))
        client.manager.options = client.manager.options.deadlineField(name)
        let request = try await client.sent { $0.endpoint("/a").timeout(.milliseconds(2_750)) }
        #expect(request.headers[name] == "2.750")
        let endless = try await client.sent { $0.endpoint("/a").timeout(nil) }
        #expect(endless.headers[name] == nil)
        #expect(DeadlineHeaderStage.text(.seconds(-1)) == "0.000")
        #expect(DeadlineHeaderStage.text(.microseconds(1_999)) == "0.001")
        #expect(DeadlineHeaderStage.text(.seconds(Int64.max)).hasSuffix("000"))
    }
}
