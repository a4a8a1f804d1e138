// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport

/// A manager and the server of a test.
struct Service: Sendable {
    let manager: RestClientManager
    let server: LoopbackServer

    /// Starts a server, makes it the default one of a new manager, and stops it when the body has ended.
    static func with<Result>(
        configure: (inout RestClientManager.Configuration) -> Void = { _ in },
        _ body: (Service) async throws -> Result
    ) async throws -> Result {
        try await LoopbackServer.with { server in
            let service = Service(manager: try .forTests(configure), server: server)
            service.connect(service.manager)
            return try await body(service)
        }
    }

    /// Makes the server the default one of a manager.
    func connect(_ manager: RestClientManager) {
        manager.servers[.main] = Server(server.url)
        manager.defaultServer = .main
    }

    /// The paths of the requests, oldest first.
    var paths: [String] { server.requests.map(\.path) }
}

extension ServerAlias {
    static let main: ServerAlias = "main"
}

extension RestClientManager {
    /// A manager on a default transport of its own, with time for a busy machine.
    static func forTests(_ configure: (inout Configuration) -> Void = { _ in }) throws -> RestClientManager {
        var configuration = Configuration()
        configuration = configuration.timeout(.seconds(3_600))
        configure(&configuration)
        var connections = DirectTransport.Configuration()
        connections.connectTimeout = .seconds(3_600)
        configuration.transport = try configuration.transport ?? DirectTransport(configuration: connections)
        return RestClientManager(configuration: configuration)
    }
}

/// A user of the example services.
struct User: Codable, Sendable, Hashable {
    var id: Int
    var name = "kim"

    /// The user as a server sends it.
    static func response(_ id: Int) -> LoopbackResponse {
        .json(#"{"id": \#(id), "name": "kim"}"#)
    }
}

/// An error of a business rule.
struct Problem: Error, Codable, Hashable {
    var message: String
}

extension APIAlias where Model == User {
    static var user: Self { "user" }
}

extension APIAlias where Model == [User] {
    static var users: Self { "users" }
}
