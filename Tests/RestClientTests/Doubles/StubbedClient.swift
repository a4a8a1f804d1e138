// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import Testing

/// A manager on a stub transport; its default server is `store` at `https://api.example.com/v1`.
struct StubbedClient: Sendable {
    let manager: RestClientManager
    let transport: StubTransport

    init(
        _ transport: StubTransport = StubTransport(),
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) {
        var configuration = RestClientManager.Configuration()
        configuration.transport = transport
        // A busy machine may take minutes for all tests at once.
        configuration.timeout = .seconds(3_600)
        configure(&configuration)
        self.transport = transport
        manager = RestClientManager(configuration: configuration)
        manager.servers["store"] = "https://api.example.com/v1"
        manager.defaultServer = "store"
    }

    /// A client whose transport gives these answers one after the other, the last one for ever.
    init(
        answering first: RawResponse,
        _ others: RawResponse...,
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) {
        self.init(StubTransport(answering: [first] + others), configure: configure)
    }

    /// Everything that was put on the wire, oldest first.
    var requests: [TransportRequest] { transport.requests }

    /// Sends what a verb makes of an untyped call, and gives the request that went out.
    func sent(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async throws -> TransportRequest {
        let count = requests.count
        try await manager.send(describe(manager.request(Void.self)))
        return try #require(requests.dropFirst(count).first)
    }

    /// Sends what a verb makes of an untyped call, and gives the error that came of it.
    func failure(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async -> RestClientError? {
        let node = describe(manager.request(Void.self))
        return await #expect(throws: RestClientError.self) { try await manager.send(node) }
    }
}

/// Sends what a verb makes of an untyped call of a fresh client, and gives the request that went out.
func sent(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async throws -> TransportRequest {
    try await StubbedClient().sent(describe)
}

/// Sends what a verb makes of an untyped call of a fresh client, and gives the error that came of it.
func failure(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async -> RestClientError? {
    await StubbedClient().failure(describe)
}
