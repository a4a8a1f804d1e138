// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

/// The handlers of a server, by method and path.
struct Router: Sendable {
    /// A handler, and when it is called.
    struct Route: Sendable {
        let handler: LoopbackServer.Handler
        var timing = LoopbackServer.ResponseTiming.afterBody
        var parameters: [String: String] = [:]
    }

    private struct Entry: Sendable {
        let method: HTTPRequest.Method
        let pattern: PathPattern
        let route: Route
    }

    private var entries: [Entry] = []
    /// Handles requests that no route matches; a 404 or a 405 if it is `nil`.
    var fallback: Route?

    /// Adds a route, and replaces one with the same method and pattern.
    mutating func add(_ route: Route, method: HTTPRequest.Method, pattern: PathPattern) {
        entries.removeAll { entry in entry.method == method && entry.pattern == pattern }
        // Of routes that are equally specific the last one wins, as with dummies.
        let index = entries.firstIndex { entry in pattern.isMoreSpecific(than: entry.pattern) != false }
        entries.insert(Entry(method: method, pattern: pattern, route: route), at: index ?? entries.endIndex)
    }

    /// Returns the route of a request, or one that rejects it.
    func route(for request: LoopbackRequest) -> Route {
        var allowed: Set<String> = []
        for entry in entries {
            guard let parameters = entry.pattern.match(request.path) else {
                continue
            }
            if entry.method == request.method {
                var route = entry.route
                route.parameters = parameters
                return route
            }
            allowed.insert(entry.method.rawValue)
        }
        return fallback ?? Self.refusal(of: request, allowed: allowed)
    }

    private static func refusal(of request: LoopbackRequest, allowed: Set<String>) -> Route {
        let text = "LoopbackServer has no route for \(request.method.rawValue) \(request.path)\n"
        let list = allowed.sorted().joined(separator: ", ")
        return Route { _ in
            list.isEmpty ? .text(text, status: 404) : .text(text, status: 405, headers: ["Allow": list])
        }
    }
}
