// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A line that registers a server or an API.
struct Registration: Decodable {
    /// The line as it comes.
    struct Line: Decodable {
        let register: Registration
    }

    static let members = Members(
        Route.names.union([
            "server", "url", "headers", "concurrency", "rateLimitPerSecond", "breaker", "retryBudget", "bearer", "api",
            "method", "path",
        ]),
        nested: [
            "bearer": BearerRegistration.members, "breaker": GuardRegistration.breakerMembers,
            "retryBudget": GuardRegistration.budgetMembers,
        ]
    )

    let server: String?
    let url: String?
    let headers: [[String]]?
    let concurrency: Int?
    let rateLimitPerSecond: Int?
    let breaker: GuardRegistration.Breaker?
    let retryBudget: GuardRegistration.Budget?
    let bearer: BearerRegistration?
    let api: String?
    let method: String?
    let path: String?

    /// Registers what the line says.
    func register(_ route: Route, with manager: RestClientManager) throws {
        if let api {
            try register(api: api, with: manager)
        } else if let server, let url {
            try register(server: ServerAlias(rawValue: server), at: url, route, with: manager)
        } else {
            throw WireError(text: "a registration needs an api, or a server and its url")
        }
    }

    private func register(api: String, with manager: RestClientManager) throws {
        guard let method = HTTPRequest.Method(rawValue: method ?? "GET") else {
            throw WireError(text: "'\(method ?? "")' is no method")
        }
        let server = server.map { ServerAlias(rawValue: $0) }
        manager.apis[APIAlias<Data>(rawValue: api)] = API(method, PathTemplate(path ?? "/"), server: server)
    }

    private func register(
        server alias: ServerAlias,
        at url: String,
        _ route: Route,
        with manager: RestClientManager
    ) throws {
        var server = route.applied(to: Server(url))
        for (name, value) in try HeaderPair.all(headers) {
            server = server.header(name, value, adding: true)
        }
        if let bearer {
            server = server.bearer(bearer.source(for: manager))
        }
        if let rateLimitPerSecond {
            guard rateLimitPerSecond > 0 else {
                throw WireError(text: "rateLimitPerSecond is a number above 0")
            }
            server = server.rateLimit(.perSecond(rateLimitPerSecond))
        }
        if let breaker {
            server = server.circuitBreaker(breaker.breaker)
        }
        if let retryBudget {
            server = server.retryBudget(retryBudget.budget)
        }
        manager.servers[alias] = server
        manager.workers.limits[alias] = concurrency
    }
}
