// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// The tasks of a program go on while it reads what hostile servers send.
@Suite(.timeLimit(.minutes(5)))
struct HeartbeatTests {
    /// Returns the longest time between two ticks of another task while an operation runs.
    private static func longestPause(_ operation: () async throws -> Void) async rethrows -> Duration {
        let clock = ContinuousClock()
        let longest = Mutex(Duration.zero)
        let heart = Task {
            var last = clock.now
            while !Task.isCancelled {
                try? await clock.sleep(for: .milliseconds(10))
                let now = clock.now
                longest.withLock { $0 = max($0, now - last) }
                last = now
            }
        }
        defer { heart.cancel() }
        try await operation()
        heart.cancel()
        await heart.value
        return longest.withLock { $0 }
    }

    private static let marks = String(repeating: "\u{315}\u{300}\u{5AE}\u{59A}", count: 15_000)

    @Test
    func `marks in fields hold up no task`() async throws {
        try await FaultServer.with { server in
            let manager = try FaultServerTests.manager(.http1, server)

            let pause = await Self.longestPause {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        server.inject(.marksInField)
                        group.addTask { _ = try? await manager.request(String.self).endpoint("/").send() }
                    }
                }
            }

            // Compared as text they hold up all tasks for more than half a minute.
            #expect(pause < .seconds(5))
        }
    }

    @Test(arguments: ["{\"MARKS\": 1}", "{\"MARKS\": 1,}", "\u{FEFF}{\"MARKS\": 1}"])
    func `marks in keys of JSON hold up no task`(body: String) async throws {
        let text = body.replacing("MARKS", with: Self.marks)
        try await FaultServer.with { server in
            let manager = try FaultServerTests.manager(.http1, server)
            let fault = FaultServer.Fault(
                "a key of marks",
                [.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n" + text)]
            )

            let pause = await Self.longestPause {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        server.inject(fault)
                        group.addTask {
                            let error = await #expect(throws: RestClientError.self) {
                                _ = try await manager.request([String: Int].self).endpoint("/").send()
                            }
                            #expect(error?.code == .decodingFailed)
                        }
                    }
                }
            }

            #expect(pause < .seconds(5))
        }
    }
}
