// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import TestSupport

@testable import RestClient

extension EventScenario {
    /// The scenarios by the first cell of their row in `Docs/events.md`.
    static let all = calls.merging(tokens) { $1 }.merging(cache) { $1 }.merging(dummies) { $1 }.merging(jobs) { $1 }
        .merging(others) { $1 }

    private static let calls: [String: EventScenario] = [
        "a call succeeds": call(answering: .text("1")),
        "all worker slots are taken": EventScenario(
            client: { _ in StubbedClient(StubTransport(answering: [.text("1")])) { $0.workerCount = 1 } },
            act: { client, log in
                try await client.withoutFreeSlot { free in
                    async let answer = client.node.send()
                    try await log.wait(for: .callQueued)
                    free.open()
                    _ = try await answer
                }
            }
        ),
        "the task is cancelled while the call waits for its turn at a server": EventScenario(
            client: { _ in
                StubbedClient(StubTransport(answering: [.text("1")])) { configuration in
                    configuration = configuration.rateLimit(.count(1, per: .seconds(1_800)))
                }
            },
            prepare: { client, _ in _ = try await client.node.send() },
            act: { client, log in
                let call = Task { try await client.node.send() }
                try await log.wait(for: .callHeldBack)
                call.cancel()
                _ = await call.result
            }
        ),
        "processes cannot share the rate limit of a server": EventScenario(
            client: { _ in
                StubbedClient(StubTransport(answering: [.text("1")])) { configuration in
                    configuration = configuration.rateLimit(.perSecond(1).sharedAcrossProcesses())
                }
            },
            prepare: { client, _ in
                let directory = try TemporaryDirectory()
                try Data(repeating: 7, count: 4_096).write(to: directory.path("rate-limits.sqlite"))
                client.manager.core.guards.ledger.use(directory.url)
                // The directory is needed as long as the client.
                client.manager.options = client.manager.options.option(CallOptionKey("directory"), directory)
            },
            act: { client, _ in _ = try await client.node.send() }
        ),
        "a server fails so often that its breaker opens": EventScenario(
            client: { _ in
                StubbedClient(StubTransport(answering: [.status(.badGateway)])) { configuration in
                    configuration = configuration.circuitBreaker(
                        .failures(1, within: .seconds(60), opensFor: .seconds(3_600))
                    )
                }
            },
            act: { client, _ in _ = try await client.node.send() }
        ),
        "a breaker refuses a call": EventScenario(
            client: { _ in StubbedClient { $0 = $0.circuitBreaker(.standard) } },
            prepare: { client, _ in client.manager.guards.isolate("store") },
            act: { client, _ in _ = try await client.node.send() }
        ),
        "a request takes long and is sent a second time": EventScenario(
            client: { _ in
                let (clock, count) = (ManualClock(), Recorder<Void>())
                return StubbedClient(
                    StubTransport { _ in
                        count.record(())
                        if count.count == 1 {
                            try await clock.waitForSleeper(for: .seconds(1))
                            clock.advance(by: .seconds(1))
                            await untilCancelled()
                            throw CancellationError()
                        }
                        return .text("1")
                    }
                ) { $0.clock = clock }
            },
            act: { client, _ in _ = try await client.node.timeout(nil).hedging(.after(.seconds(1))).send() }
        ),
        "a server fails, and a fallback is used": call(answering: .status(.serviceUnavailable)) {
            $0.fallback(.value(1))
        },
        "a redirect is followed": call(answering: .redirect(302, to: "/b?token=s3cret"), .text("1")),
        "the server sends more than the response": call(answering: surplus),
        "a call reports its progress": call(answering: .text("1")) { $0.progressEvents() },
        "an interceptor responds by itself": EventScenario(
            client: { _ in StubbedClient { $0 = $0.interceptors(Answering()) } },
            act: { client, _ in _ = try await client.node.send() }
        ),
        "a result handler makes a model of a failure": call(answering: .status(.notFound)) { node in
            node.mapResult { _ in 7 }
        },
        "the target cannot be resolved": call { $0.server("unknown") },
        "the hand-over of a chain throws": call { node in
            node.handover { _, _ in throw JobGraphError(.missingPreviousResult, "none") }
        },
        "the network fails": failure(.connectionFailed),
        "the call does not end in time": failure(.timeout),
        "the server responds with an error status": call(answering: .status(.notFound)),
        "a call is retried": call(answering: .status(.serviceUnavailable), .text("1")) { $0.retry(twice) },
        "a call is retried as often as it may": failure(.connectionFailed) { $0.retry(twice) },
        "a call is not worth another attempt": call(answering: .status(.notFound)) { $0.retry(twice) },
        "a call might have its effect twice": call(answering: .status(.serviceUnavailable)) { node in
            node.post().retry(twice)
        },
        "the budget of a server has no room for a retry": call(answering: .status(.serviceUnavailable)) { node in
            node.retry(twice).retryBudget(RetryBudget(ratio: 0, minimumPerSecond: 0))
        },
        "the body does not decode": call(answering: .text("x")),
        "the task is cancelled before the call": EventScenario { client, _ in
            let task = Task {
                unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
                return try await client.node.send()
            }
            _ = await task.result
        },
        "the task is cancelled while the call waits for a slot": EventScenario(
            client: { _ in StubbedClient { $0.workerCount = 1 } },
            act: { client, log in
                try await client.withoutFreeSlot { _ in
                    let call = Task { try await client.node.send() }
                    try await log.wait(for: .callQueued)
                    call.cancel()
                    _ = await call.result
                }
            }
        ),
        "the task is cancelled while the call is on the wire": cancelled(at: .attemptStarted) { client in
            _ = try await client.node.send()
        },
    ]

    private static let cache: [String: EventScenario] = [
        "the cache has a fresh response": EventScenario(
            prepare: { client, _ in _ = try await client.node.cache(.elseNetwork()).send() },
            act: { client, _ in _ = try await client.node.cache(.elseNetwork(maxAge: .seconds(3600))).send() }
        ),
        "the cache has nothing": call(answering: .text("1")) { $0.cache(.elseNetwork()) },
        "the cache has nothing, and may not ask the server": call { $0.cache(.cacheOnly()) },
        "the cache is bypassed": call(answering: .text("1")) { $0.cache(.reload) },
        "the response must not be stored": call(answering: .text("1", headers: [.cacheControl: "no-store"])) { node in
            node.cache(.elseNetwork())
        },
        "a stored response is too old, and the server sends another": secondCall(
            answering: .text("1"),
            policy: .elseNetwork(maxAge: .seconds(5))
        ),
        "a stored response is too old, and the server confirms it": secondCall(
            answering: .text("1", headers: [.eTag: "\"v1\""]),
            .status(.notModified),
            policy: .elseNetwork(maxAge: .seconds(5))
        ),
        "a stored response is too old, and the server may not be asked": secondCall(
            answering: .text("1"),
            policy: .cacheOnly(maxAge: .seconds(5))
        ),
        "a stored response does not decode any more": EventScenario(
            client: { client(answering: [.text("[1]"), .text("1")], $0) },
            prepare: { client, _ in
                _ = try await client.manager.request([Int].self).endpoint("/a").cache(.elseNetwork()).send()
            },
            act: { client, _ in _ = try await client.node.cache(.elseNetwork()).send() }
        ),
        "a call changes what is stored": EventScenario(
            client: { client(answering: [.text("1"), .text("2", .created)], $0) },
            prepare: { client, _ in _ = try await client.node.cache(.elseNetwork()).send() },
            act: { client, _ in _ = try await client.node.post().send() }
        ),
        "what is stored for a request is removed": EventScenario(
            prepare: { client, _ in _ = try await client.node.cache(.elseNetwork()).send() },
            act: { client, _ in try await client.manager.cache.remove(client.node) }
        ),
    ]

    private static let dummies: [String: EventScenario] = [
        "a dummy matches": EventScenario(
            prepare: { client, _ in
                client.manager.dummies.mode = .strict
                client.manager.dummies.register(.get, "/a") { _ in .text("1") }
            },
            act: { client, _ in _ = try await client.node.send() }
        ),
        "no dummy matches, and others go to the network": EventScenario(
            prepare: { client, _ in client.manager.dummies.mode = .matched },
            act: { client, _ in _ = try await client.node.send() }
        ),
        "no dummy matches, and dummies are strict": EventScenario(
            prepare: { client, _ in client.manager.dummies.mode = .strict },
            act: { client, _ in _ = try await client.node.send() }
        ),
    ]

    private static let jobs: [String: EventScenario] = [
        "a local job runs": EventScenario { client, _ in _ = try await client.manager.run(job) },
        "a local job throws": EventScenario { client, _ in
            let job = LocalJob<Int>("job") { previous in try previous.value(as: Int.self) }
            _ = try await client.manager.run(job)
        },
        "a local job is cancelled": cancelled(at: .localJobStarted) { client in
            try await client.manager.run(LocalJob("job") { try await Gate().wait() })
        },
        "a local job is cancelled before it has a worker slot": EventScenario(
            client: { _ in StubbedClient { $0.workerCount = 1 } },
            act: { client, _ in
                try await client.withoutFreeSlot { _ in
                    let task = Task { try await client.manager.run(job) }
                    try await client.manager.workers.wait { $0.waiting > 0 }
                    task.cancel()
                    _ = await task.result
                }
            }
        ),
        "a group of one runs": EventScenario { client, _ in _ = await client.manager.concurrently([client.node]) },
        "a chain runs": EventScenario { client, _ in _ = await client.manager.serially([client.node, job]) },
        "a chain stops at a failure": EventScenario(
            client: { client(answering: [.status(.notFound)], $0) },
            act: { client, _ in _ = await client.manager.serially([client.node, job]) }
        ),
        "a graph runs": EventScenario { client, _ in
            var graph = JobGraph("graph")
            let first = graph.request("first") { RequestNode(Int.self).endpoint("/a") }
            graph.local("second", after: first) { $0 + 1 }
            _ = try await client.manager.run(graph)
        },
        "a node of a graph does not run": EventScenario { client, _ in
            var graph = JobGraph("graph")
            let first = graph.local("first") { () throws -> Int in throw RestClientError(.notCached, "none") }
            graph.local("second", after: first) { $0 + 1 }
            _ = try await client.manager.run(graph)
        },
        "a node of a graph is retried": EventScenario(
            client: { EventScenario.client(answering: [.status(.serviceUnavailable), .text("1")], $0) },
            act: { client, _ in _ = try await client.manager.run(trying(2) { client.node }) }
        ),
        "a node of a graph is retried as often as it may": EventScenario { client, _ in
            let failing = LocalJob<Int>("first") { throw RestClientError(.notCached, "none") }
            var graph = JobGraph("graph")
            var policy = RetryPolicy(attempts: 2)
            policy.backoff.first = .zero
            policy.isRetryable = { _ in true }
            graph.job("first", options: [.retry(policy)]) { failing }
            _ = try await client.manager.run(graph)
        },
        "a node of a graph is not worth another attempt": EventScenario(
            client: { EventScenario.client(answering: [.status(.notFound)], $0) },
            act: { client, _ in _ = try await client.manager.run(trying(2) { client.node }) }
        ),
        "a node of a graph might have its effect twice": EventScenario(
            client: { EventScenario.client(answering: [.status(.serviceUnavailable)], $0) },
            act: { client, _ in _ = try await client.manager.run(trying(2) { client.node.method(.post) }) }
        ),
        "a group has no members": EventScenario { client, _ in _ = await client.manager.serially([]) },
    ]

    /// Two attempts without a wait between them.
    private static var twice: RetryPolicy {
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        return policy
    }

    private static let others: [String: EventScenario] = [
        "a shared value is set": EventScenario { client, _ in try client.manager.sharedData.set("kim", for: user) },
        "a shared value is removed": EventScenario(
            prepare: { client, _ in try client.manager.sharedData.set("kim", for: user) },
            act: { client, _ in try client.manager.sharedData.remove(user) }
        ),
        "a probe finds that a server responds": EventScenario { client, _ in
            try await client.manager.reachability(of: "store").check()
        },
        "the program emits an event of its own": EventScenario { client, _ in
            client.manager.emit("synced", payload: ["count": 3])
        },
    ]

    /// A response behind which the server sent more.
    private static let surplus: RawResponse = {
        var response = RawResponse.text("1")
        response.hasSurplus = true
        return response
    }()

    private static let job = LocalJob("job") { 1 }

    /// A graph of one call that is tried so often, without waits.
    private static func trying(_ attempts: Int, _ make: @escaping @Sendable () -> RequestNode<Int>) -> JobGraph {
        var policy = RetryPolicy(attempts: attempts)
        policy.backoff.first = .zero
        var graph = JobGraph("graph")
        graph.request("first", options: [.retry(policy)]) { make() }
        return graph
    }

    private static let user = SharedKey<String>("user")
}

/// Responds to each call without the stages that follow.
private struct Answering: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        .text("1")
    }
}
