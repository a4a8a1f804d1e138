// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import JobGraphsTestSupport
import RestClient
import RestEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DownloadClockTests {
    @Test
    func `a download waits for the date of a Retry-After by the calendar of its manager`() async throws {
        let directory = try TemporaryDirectory()
        let clock = ManualClock()
        let responses = [
            RawResponse.text("", .serviceUnavailable, headers: [.retryAfter: "Sun, 06 Nov 1994 08:49:57 GMT"]),
            RawResponse.text("content"),
        ]
        let client = StubbedClient(StubTransport(answering: responses)) { configuration in
            configuration.clock = clock
            // Twenty seconds before.
            configuration.now = { Date(timeIntervalSince1970: 784_111_777) }
            configuration = configuration.timeout(nil).retry(.steady(2))
        }
        let target = directory.path("file").path
        let download = Task { try await client.manager.request(Void.self).endpoint("/file").download(to: target) }
        try await clock.waitForSleeper(for: .seconds(20))
        #expect(client.requests.count == 1)
        clock.advance(by: .seconds(20))
        #expect(try await download.value.length == 7)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "content")
    }
}
