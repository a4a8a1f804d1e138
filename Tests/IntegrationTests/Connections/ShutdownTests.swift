// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import SharedStore
import TestSupport
import Testing

/// Managers whose stores are closed and which are let go while their calls are under way.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct ShutdownTests {
    /// The activity of a call when its manager goes.
    enum Moment: CaseIterable, Sendable {
        case waitsForHead, readsBody, readsStream, waitsForAttempt, waitsForToken, runsGraph

        /// True if nothing but cancelling ends the call.
        var isEndless: Bool { self == .waitsForAttempt || self == .waitsForToken }
    }

    private static let key = SharedKey<Int>("count")
    /// Managers that nobody lets go.
    private static let leaked = Recorder<RestClientManager>()

    private let directory: TemporaryDirectory
    private let gate = Gate()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func respond(_ server: LoopbackServer) {
        server.on(.get, "/slow") { [gate] _ in
            try await gate.wait()
            return .text("slow", headers: ["Cache-Control": "max-age=60"])
        }
        server.on(.get, "/halves") { [gate] _ in
            .stream { writer in
                try await writer.write("one\n")
                try await gate.wait()
                try await writer.write("two\n")
            }
        }
        server.on(.get, "/busy") { _ in .status(503) }
    }

    private func start(_ moment: Moment, _ manager: RestClientManager) -> Task<String, any Error> {
        let gate = gate
        let node = manager.request(String.self).dogma(.raw)
        return Task {
            switch moment {
            case .waitsForHead:
                return try await node.endpoint("/slow").cache(.http).send()
            case .readsBody:
                return try await node.endpoint("/halves").send()
            case .readsStream:
                var lines: [String] = []
                for try await line in try await node.endpoint("/halves").stream().lines() {
                    lines.append(line)
                }
                return lines.joined(separator: "\n")
            case .waitsForAttempt:
                let backoff = Backoff(.seconds(3_600), longest: .seconds(3_600), jitter: 0)
                let policy = RetryPolicy(attempts: 2, backoff: backoff)
                return try await node.endpoint("/busy").timeout(nil).retry(policy).send()
            case .waitsForToken:
                let source = TokenSource { _ in
                    try await gate.wait()
                    return AccessToken("late")
                }
                return try await node.endpoint("/busy").authentication(.bearer(source)).send()
            case .runsGraph:
                var graph = JobGraph("nightly")
                let slow = graph.request("slow") { node.endpoint("/slow") }
                graph.local("after", after: slow) { $0.count }
                return "\(try await manager.run(graph, journal: "nightly").isSuccess)"
            }
        }
    }

    /// Waits until a call does what it is to do when its manager goes.
    private func wait(for moment: Moment, _ server: LoopbackServer, _ log: EventRecorder) async throws {
        switch moment {
        case .waitsForHead, .readsBody, .readsStream, .runsGraph: try await server.waitForRequests()
        case .waitsForAttempt: try await log.wait(for: .retryDecided)
        case .waitsForToken: try await gate.waitForWaiters(count: 1)
        }
    }

    @Test(arguments: Moment.allCases, [true, false])
    func `calls end, nothing traps and stores close clean, whenever a manager goes`(
        moment: Moment,
        isLeaked: Bool
    ) async throws {
        try await LoopbackServer.with(TransportKind.chosen.mode) { server in
            respond(server)
            let call: Task<String, any Error>
            do {
                let manager = try RestClientManager.connected()
                try manager.persist(in: directory.url)
                manager.servers[.loopback] = Server(server.url)
                manager.defaultServer = .loopback
                try manager.sharedData.set(7, for: Self.key)
                let log = EventRecorder(manager)
                call = start(moment, manager)
                try await wait(for: moment, server, log)
                manager.sharedData.close()
                manager.cache.storage.close()
                if isLeaked {
                    Self.leaked.record(manager)
                }
            }

            if moment.isEndless {
                call.cancel()
            }
            gate.open()
            let result = await call.result

            switch moment {
            case .waitsForHead: #expect(try result.get() == "slow")
            case .readsBody: #expect(try result.get() == "one\ntwo\n")
            case .readsStream: #expect(try result.get() == "one\ntwo")
            case .runsGraph: #expect(try result.get() == "true")
            case .waitsForAttempt, .waitsForToken:
                #expect(throws: (any Error).self) { try result.get() }
            }
            let next = try RestClientManager.connected()
            try next.persist(in: directory.url)
            next.servers[.loopback] = Server(server.url)
            #expect(try next.sharedData.value(for: Self.key) == 7)
            let node = next.request(String.self).dogma(.raw).server(.loopback).endpoint("/slow")
            #expect(try await node.send() == "slow")
        }
    }
}
