// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport

/// A manager and the server it talks to, over connections that no other test shares.
struct LoopbackClient: Sendable {
    let manager: RestClientManager
    let server: LoopbackServer

    /// Starts a server, makes it the default one of a new manager, and stops it when the body has ended.
    ///
    /// - Parameters:
    ///   - mode: The protocols of the server, whose certificate the manager trusts; if `nil`, those of
    ///     ``TransportKind/chosen``.
    ///   - configure: Changes the manager's configuration, and that of its transport.
    ///   - body: The operation on both.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body.
    static func with<Result>(
        _ mode: LoopbackServer.Mode? = nil,
        configure: Configure = { _, _ in },
        _ body: (LoopbackClient) async throws -> Result
    ) async throws -> Result {
        let mode = mode ?? TransportKind.chosen.mode
        return try await LoopbackServer.with(mode) { server in
            let manager = try RestClientManager.connected(trusting: mode.identity, configure: configure)
            manager.servers[.loopback] = Server(server.url)
            manager.defaultServer = .loopback
            return try await body(LoopbackClient(manager: manager, server: server))
        }
    }

    /// Changes the configuration of a manager and of its transport.
    typealias Configure = (
        inout RestClientManager.Configuration, inout DirectTransport.Configuration
    ) -> Void

    /// A call of the server's path that returns the bytes of the response.
    func request(_ method: HTTPRequest.Method = .get, _ path: PathTemplate) -> RequestNode<Data> {
        manager.request().method(method).endpoint(path)
    }

    /// A call of the server's path that returns a model.
    func request<Model: Decodable & Sendable>(
        _ model: Model.Type,
        _ method: HTTPRequest.Method = .get,
        _ path: PathTemplate
    ) -> RequestNode<Model> {
        manager.request(model).method(method).endpoint(path)
    }
}

extension ServerAlias {
    /// The server of the test.
    static let loopback: ServerAlias = "loopback"
}

extension RestClientManager {
    /// A manager on a transport of its own.
    static func connected(
        trusting identity: TestIdentity? = nil,
        configure: LoopbackClient.Configure = { _, _ in }
    ) throws -> RestClientManager {
        var configuration = Configuration()
        var connections = DirectTransport.Configuration()
        // A busy machine may take minutes for all tests at once.
        configuration = configuration.timeout(.seconds(3_600))
        connections.connectTimeout = .seconds(3_600)
        connections.additionalTrustRoots = identity.map { [$0.certificatePEM] } ?? []
        configure(&configuration, &connections)
        configuration.transport = try configuration.transport ?? TransportKind.chosen.make(connections)
        return RestClientManager(configuration: configuration)
    }
}
