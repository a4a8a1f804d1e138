// SPDX-License-Identifier: MIT

import RestClient
import TestSupport
import Testing

/// Limits of size and time, as calls and managers set them.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct LimitTests {
    @Test
    func `a call's limit of the body wins over the manager's`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration = configuration.limits(body: 10)
        } _: { client in
            client.server.onAny { _ in .text("more than ten bytes") }
            let log = EventRecorder(client.manager)
            let node = client.request(String.self, .get, "/").cache(.elseNetwork())
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.code == .responseTooLarge)
            #expect(error?.message.contains("10 bytes") == true)
            #expect(error?.failureClass == .internal)
            #expect(log.count(of: .cacheStored) == 0)
            #expect(client.manager.workers.runningCount == 0)
            let answer = try await node.limits(body: 100).send()
            #expect(answer == "more than ten bytes")
        }
    }

    @Test(arguments: [200, 404, 302])
    func `the body of every response is limited, whatever its status`(status: Int) async throws {
        let bomb = try LoopbackContentEncoding.gzip.encode([UInt8](repeating: 0, count: 4 << 20))
        try await LoopbackClient.with { client in
            client.server.onAny { _ in
                .bytes(bomb, status: status, headers: ["Content-Encoding": "gzip", "Location": "/on"])
            }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").limits(body: 1 << 20).send()
            }
            #expect(error?.code == .responseTooLarge)
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `a call's time limit wins over the manager's, either way`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration = configuration.timeout(.milliseconds(150))
        } _: { client in
            let gate = Gate()
            client.server.onAny { _ in LoopbackResponse.text("late").after(gate) }
            let patient = Task { try await client.request(String.self, .get, "/").timeout(.seconds(50)).send() }
            try await client.server.waitForRequests()
            let error = try #require(
                await #expect(throws: RestClientError.self) { try await client.request(.get, "/").send() }
            )
            #expect(error.code == .timeout)
            #expect(error.failureClass == .timeout)
            #expect(error.message.contains("0.15 seconds"))
            gate.open()
            let answer = try await patient.value
            #expect(answer == "late")
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(1)])
    func `a time limit that is up already is no trap`(timeout: Duration) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .never }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").timeout(timeout).send()
            }
            #expect(error?.code == .timeout)
        }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1 << 40)])
    func `a time limit beyond all clocks is no trap`(timeout: Duration) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["ans", "wer"]) }
            let answer = try await client.request(String.self, .get, "/").timeout(timeout).send()
            #expect(answer == "answer")
        }
    }

    @Test
    func `a manager without a time limit waits`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration = configuration.timeout(nil)
        } _: { client in
            let gate = Gate()
            client.server.onAny { _ in .chunks(["first", .wait(gate), "second"]) }
            let call = Task { try await client.request(String.self, .get, "/").send() }
            try await gate.waitForWaiters(count: 1)
            gate.open()
            let answer = try await call.value
            #expect(answer == "firstsecond")
        }
    }
}
