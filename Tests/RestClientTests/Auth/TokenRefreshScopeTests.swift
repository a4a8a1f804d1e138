// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Calls that belong to a refresh carry no token and need no slot; others do.
@Suite(.timeLimit(.minutes(5)))
struct TokenRefreshScopeTests {
    private let client = StubbedClient(answering: .text("7"))
    private let expired = AccessToken("old", expiresAt: .distantPast)

    private func tokens(of path: String) -> [String?] {
        client.requests.filter { $0.url.hasSuffix(path) }.map { $0.headers[.authorization] }
    }

    @Test
    func `a call that an observer starts on the event of the refresh carries the token`() async throws {
        let calls = Recorder<Task<Int, any Error>>()
        let source = TokenSource(expired) { [manager = client.manager] _ in
            AccessToken(try await manager.request(String.self).endpoint("/token").dogma(.raw).send())
        }
        let observed = client.node.endpoint("/observed").bearer(source)
        let observation = client.manager.observe(.names(.attemptFinished)) { event in
            if event.request?.url?.hasSuffix("/token") == true {
                calls.record(Task { try await observed.send() })
            }
        }
        #expect(try await client.node.bearer(source).send() == 7)
        for call in try await calls.waitForCount(1) {
            #expect(try await call.value == 7)
        }
        observation.cancel()
        #expect(tokens(of: "/observed") == ["Bearer 7"])
    }

    @Test
    func `a task that outlives the refresh which began it sends the token`() async throws {
        let gate = Gate()
        let left = Recorder<Task<Int, any Error>>()
        let source = TokenSource(expired) { [manager = client.manager] _ in
            left.record(
                Task {
                    try await gate.wait()
                    return try await manager.request(Int.self).endpoint("/late").send()
                }
            )
            return AccessToken("fresh")
        }
        client.manager.options = client.manager.options.authentication(.bearer(source))
        #expect(try await client.node.send() == 7)
        gate.open()
        #expect(try await left.elements.first?.value == 7)
        #expect(tokens(of: "/late") == ["Bearer fresh"])
    }

    /// The ways to do local work.
    enum LocalWay: CaseIterable {
        case job, group, graph

        func sign(with manager: RestClientManager) async throws -> String {
            let job = LocalJob("sign") { "signed" }
            switch self {
            case .job:
                return try await manager.run(job)
            case .group:
                return try #require(await manager.concurrently([job, job]).values.last)
            case .graph:
                var graph = JobGraph("signing")
                let work = graph.local("sign") { () async in "signed" }
                return try await manager.run(graph)[work]
            }
        }
    }

    @Test(arguments: LocalWay.allCases)
    func `local work inside a refresh needs no slot, even if its holder waits for the token`(
        way: LocalWay
    ) async throws {
        client.manager.workers.size = 1
        let gate = Gate()
        let source = TokenSource(expired) { [manager = client.manager] _ in
            try await gate.wait()
            return AccessToken(try await way.sign(with: manager))
        }
        // Begun from outside the slot, so that the refresh cannot use the job's.
        let outer = Task { try await source.token() }
        try await gate.waitForWaiters(count: 1)
        let isInside = Gate()
        let job = Task { [manager = client.manager] in
            try await manager.run(
                LocalJob("job") {
                    isInside.open()
                    return try await source.token()
                }
            )
        }
        try await isInside.wait()
        await source.waitForWaiters(count: 2)
        gate.open()
        #expect(try await outer.value.value == "signed")
        #expect(try await job.value.value == "signed")
    }

    @Test(arguments: [true, false])
    func `a call inside of a refresh does not wait for an equal one that waits for a slot`(isCached: Bool) async throws
    {
        client.manager.workers.size = 1
        let plain = client.manager.request(Int.self).endpoint("/time")
        let node = isCached ? plain.cache(.elseNetwork()) : plain.sharingFlight()
        let gate = Gate()
        let source = TokenSource(expired) { _ in
            try await gate.wait()
            return AccessToken("\(try await node.send())")
        }
        let outer = Task { try await source.token() }
        try await gate.waitForWaiters(count: 1)
        try await client.withoutFreeSlot { _ in
            let queued = Recorder<ClientEvent>()
            let observation = client.manager.observe(.names(.callQueued)) { queued.record($0) }
            let waiting = Task { try await node.send() }
            try await queued.waitForCount(1)
            observation.cancel()
            gate.open()
            #expect(try await outer.value.value == "7")
            waiting.cancel()
            _ = await waiting.result
        }
    }
}
