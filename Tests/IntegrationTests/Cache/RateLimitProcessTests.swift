// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import TestSupport
import Testing

/// Processes that share a rate limit.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: CrashingProcess.executable != nil, "the helper was not built")
)
struct RateLimitProcessTests {
    @Test
    func `the calls of two processes together stay within the limit, and use it up`() async throws {
        let directory = try TemporaryDirectory()
        try await LoopbackServer.with(.http1) { server in
            server.onAny { _ in .status(204) }
            let arguments = ("rate", directory.url.path, server.url, "9")
            let processes = try (0..<2)
                .map { _ in try CrashingProcess(arguments.0, arguments.1, arguments.2, arguments.3) }
            for process in processes {
                #expect(await process.end() == 0)
            }
            #expect(server.requests.count == 9)

            // A later process begins with what the earlier ones have left.
            let later = try CrashingProcess("rate", directory.url.path, server.url, "9")
            #expect(await later.end() == 0)
            #expect(server.requests.count == 9)
        }
    }
}
