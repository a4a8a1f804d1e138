// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport

@testable import RestClient

/// A source of events: a prepared manager, and an operation on it.
struct EventScenario: Sendable {
    /// How the manager is made; its time of day stands still until it is moved.
    var client: @Sendable (WallClock) -> StubbedClient = { wall in client(answering: [.text("1")], wall) }
    /// The steps before anyone observes.
    var prepare: @Sendable (StubbedClient, WallClock) async throws -> Void = { _, _ in }
    /// The steps while someone observes; an error that they throw is part of the scenario.
    var act: @Sendable (StubbedClient, EventRecorder) async throws -> Void

    /// Everything that happens.
    func events() async throws -> [ClientEvent] {
        let wall = WallClock()
        let client = client(wall)
        try await prepare(client, wall)
        let log = EventRecorder(client.manager)
        try? await act(client, log)
        return log.events
    }

    /// A client with these responses, the last one for ever.
    static func client(answering answers: [RawResponse], _ wall: WallClock) -> StubbedClient {
        StubbedClient(StubTransport(answering: answers)) { $0.now = { wall.now } }
    }

    /// A call to which the server responds.
    static func call(
        answering answers: RawResponse...,
        describe: @escaping @Sendable (RequestNode<Int>) -> RequestNode<Int> = { $0 }
    ) -> EventScenario {
        EventScenario(
            client: { client(answering: answers, $0) },
            act: { client, _ in _ = try await describe(client.node).send() }
        )
    }

    /// A call to which the server responds for the second time, nine seconds after the response was stored.
    static func secondCall(
        answering answers: RawResponse...,
        policy: CachePolicy
    ) -> EventScenario {
        EventScenario(
            client: { client(answering: answers, $0) },
            prepare: { client, wall in
                _ = try await client.node.cache(.elseNetwork()).send()
                wall.advance(by: 9)
            },
            act: { client, _ in _ = try await client.node.cache(policy).send() }
        )
    }

    /// A call whose transport does not respond.
    static func failure(
        _ code: RestClientError.Code,
        describe: @escaping @Sendable (RequestNode<Int>) -> RequestNode<Int> = { $0 }
    ) -> EventScenario {
        EventScenario(
            client: { _ in StubbedClient(StubTransport { _ in throw RestClientError(code, "failed") }) },
            act: { client, _ in _ = try await describe(client.node).send() }
        )
    }

    /// A call or a job of a server that never responds, cancelled when an event has come.
    static func cancelled(
        at name: ClientEvent.Name,
        _ act: @escaping @Sendable (StubbedClient) async throws -> Void
    ) -> EventScenario {
        EventScenario(
            client: { _ in
                let transport = StubTransport { _ in
                    try await Gate().wait()
                    return RawResponse()
                }
                return StubbedClient(transport)
            },
            act: { client, log in
                let task = Task { try await act(client) }
                try await log.wait(for: name)
                task.cancel()
                _ = await task.result
            }
        )
    }
}

extension StubbedClient {
    /// A call of a number.
    var node: RequestNode<Int> { manager.request(Int.self).endpoint("/a") }

    /// Does something while the one worker slot of the manager is taken, until the gate opens or the work is done.
    func withoutFreeSlot(_ act: (Gate) async throws -> Void) async throws {
        let gate = Gate()
        let occupant = Task { [manager] in
            try await manager.core.workers.withSlot(lendsSlot: false) { try await gate.wait() }
        }
        try await gate.waitForWaiters(count: 1)
        try await act(gate)
        gate.open()
        try await occupant.value
    }
}
