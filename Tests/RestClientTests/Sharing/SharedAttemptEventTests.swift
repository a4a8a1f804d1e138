// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient

/// Each attempt of a shared request ends in the call in which it began.
@Suite(.timeLimit(.minutes(5)))
struct SharedAttemptEventTests {
    private func lines(_ log: EventRecorder, _ call: Int) -> [String] {
        let ids = log.events.filter { $0.kind.name == .callStarted }.compactMap(\.callID)
        return log.events.filter { $0.callID == ids[call] }.map(\.line)
    }

    /// Starts equal calls one after the other, and waits until the first one's attempt is under way.
    private func start(
        _ nodes: [RequestNode<Int>],
        _ client: StubbedClient,
        _ log: EventRecorder,
        isCached: Bool
    ) async throws -> [Task<Int, any Error>] {
        var calls: [Task<Int, any Error>] = []
        for node in nodes {
            calls.append(Task { try await node.send() })
            await client.manager.waitForSharedCalls(calls.count, isCached: isCached)
        }
        try await client.transport.waitForRequests(count: 1)
        try await log.wait(for: .attemptStarted)
        return calls
    }

    @Test(arguments: [true, false], [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    func `the attempt has an end when all callers are cancelled while it runs`(
        isCached: Bool,
        order: [Int]
    ) async throws {
        let client = StubbedClient(
            StubTransport { _ in
                try await Gate().wait()
                return .text("never")
            }
        )
        let log = EventRecorder(client.manager)
        let node = client.manager.request(Int.self).endpoint("/a")
            .cache(isCached ? .elseNetwork() : .networkOnly).sharingFlight()
        let calls = try await start([node, node, node], client, log, isCached: isCached)

        for index in order {
            calls[index].cancel()
            await #expect(throws: CancellationError.self) { try await calls[index].value }
        }
        try await log.waitForCalls(count: 3)

        let beginning = isCached ? ["callStarted", "cacheMiss absent"] : ["callStarted"]
        #expect(lines(log, 0) == beginning + ["attemptStarted 1", "attemptFailed 1 cancelled", "callCancelled"])
        for follower in 1...2 {
            #expect(lines(log, follower) == beginning + ["callCancelled"])
        }
    }

    @Test
    func `a caller that leaves ends its attempt, and the response is one that the others shared`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("1")
            }
        )
        let log = EventRecorder(client.manager)
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        let calls = try await start([node, node], client, log, isCached: true)

        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        gate.open()
        #expect(try await calls[1].value == 1)
        try await log.waitForCalls(count: 2)

        #expect(
            lines(log, 0) == [
                "callStarted", "cacheMiss absent", "attemptStarted 1", "attemptFailed 1 cancelled", "callCancelled",
            ]
        )
        #expect(
            lines(log, 1) == [
                "callStarted", "cacheMiss absent", "callShared", "cacheStored", "modelLoaded",
                "callSucceeded 200 network",
            ]
        )
        #expect(client.requests.count == 1)
    }

    @Test
    func `a caller whose time is over ends its attempt with a timeout`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("1")
            }
        ) { $0.clock = clock }
        let log = EventRecorder(client.manager)
        let node = client.manager.request(Int.self).endpoint("/a").sharingFlight()
        let calls = try await start(
            [node.timeout(.seconds(1)), node.timeout(.seconds(60))],
            client,
            log,
            isCached: false
        )
        try await clock.waitForSleepers(count: 2)

        clock.advance(by: .seconds(2))
        let error = await #expect(throws: RestClientError.self) { try await calls[0].value }
        gate.open()
        #expect(try await calls[1].value == 1)
        try await log.waitForCalls(count: 2)

        #expect(error?.code == .timeout)
        #expect(
            lines(log, 0) == ["callStarted", "attemptStarted 1", "attemptFailed 1 timeout", "callFailed timeout"]
        )
        #expect(lines(log, 1) == ["callStarted", "callShared", "modelLoaded", "callSucceeded 200 network"])
    }

    @Test
    func `the next attempt is an event of the caller that waits longest by then`() async throws {
        let gate = Gate()
        let counter = Counter()
        let client = StubbedClient(
            StubTransport { _ in
                guard counter.next() == 1 else {
                    return .text("2")
                }
                try await gate.wait()
                return .status(.serviceUnavailable)
            }
        )
        let log = EventRecorder(client.manager)
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        let node = client.manager.request(Int.self).endpoint("/a").cache(.reload).retry(policy)
        let calls = try await start([node, node], client, log, isCached: true)

        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        gate.open()
        #expect(try await calls[1].value == 2)
        try await log.waitForCalls(count: 2)

        #expect(
            lines(log, 0) == [
                "callStarted", "cacheMiss bypassed", "attemptStarted 1", "attemptFailed 1 cancelled", "callCancelled",
            ]
        )
        #expect(
            lines(log, 1).filter { $0.hasPrefix("attempt") || $0.hasPrefix("retry") } == [
                "retryDecided 2 unacceptableStatus", "attemptStarted 2", "attemptFinished 2 200",
            ]
        )
    }

    @Test(arguments: [true, false])
    func `starts and ends of attempts match in each call, in whatever order callers leave`(
        isCached: Bool
    ) async throws {
        let client = StubbedClient(
            StubTransport { _ in
                await Task.yield()
                try Task.checkCancellation()
                return .text("1")
            }
        )
        let log = EventRecorder(client.manager)
        let count = 600
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    let node = client.manager.request(Int.self).endpoint("/a/\(index / 6)")
                        .cache(isCached ? .reload : .networkOnly).sharingFlight()
                    let call = Task { try await node.send() }
                    if !index.isMultiple(of: 3) {
                        await Task.yield()
                        call.cancel()
                    }
                    _ = await call.result
                }
            }
        }
        try await log.waitForCalls(count: count)

        for (call, events) in Dictionary(grouping: log.events, by: \.callID) {
            var open: Set<Int> = []
            for event in events {
                switch event.kind {
                case .attemptStarted(let number):
                    #expect(open.insert(number).inserted)
                case .attemptFinished(let number, _), .attemptFailed(let number, _):
                    #expect(open.remove(number) != nil, "\(events.map(\.line))")
                default:
                    #expect(!event.isTerminal || open.isEmpty, "\(String(describing: call)): \(events.map(\.line))")
                }
            }
        }
        #expect(log.count(of: .attemptStarted) > 0)
    }
}
