// SPDX-License-Identifier: MIT

import HTTPTypes
package import RestClient
import Testing

/// A manager on a stub transport; its default server is `store` at `https://api.example.com/v1`.
package struct StubbedClient: Sendable {
    package let manager: RestClientManager
    package let transport: StubTransport

    package init(
        _ transport: StubTransport = StubTransport(),
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) {
        var configuration = RestClientManager.Configuration()
        configuration.transport = transport
        // A busy machine may take minutes for all tests at once.
        configuration = configuration.timeout(.seconds(3_600))
        configure(&configuration)
        self.transport = transport
        manager = RestClientManager(configuration: configuration)
        manager.servers["store"] = "https://api.example.com/v1"
        manager.defaultServer = "store"
    }

    /// Creates a client whose transport returns these responses in turn, and then repeats the last one.
    package init(
        answering first: RawResponse,
        _ others: RawResponse...,
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) {
        self.init(StubTransport(answering: [first] + others), configure: configure)
    }

    /// The requests that were sent, oldest first.
    package var requests: [TransportRequest] { transport.requests }

    /// Applies a verb to an untyped call, sends it, and returns the request that was sent.
    package func sent(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async throws -> TransportRequest {
        let count = requests.count
        try await manager.run(describe(manager.request(Void.self)))
        return try #require(requests.dropFirst(count).first)
    }

    /// Applies a verb to an untyped call, sends it, and returns its error.
    package func failure(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async -> RestClientError? {
        let node = describe(manager.request(Void.self))
        return await #expect(throws: RestClientError.self) { try await manager.run(node) }
    }
}

/// Applies a verb to an untyped call of a new client, sends it, and returns the request that was sent.
package func sent(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async throws -> TransportRequest {
    try await StubbedClient().sent(describe)
}

/// Applies a verb to an untyped call of a new client, sends it, and returns its error.
package func failure(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async -> RestClientError? {
    await StubbedClient().failure(describe)
}
