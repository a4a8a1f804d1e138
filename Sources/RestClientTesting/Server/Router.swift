// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

struct Router: Sendable {
    struct Route: Sendable {
        let handler: LoopbackServer.Handler
        var awaitsBody = true
        var parameters: [String: String] = [:]
    }

    private struct Entry: Sendable {
        let method: HTTPRequest.Method
        let pattern: PathPattern
        let query: [(name: String, value: String?)]
        let route: Route

        /// Returns true if requests match both entries or none of them.
        func isAlike(_ other: Entry) -> Bool {
            method == other.method && pattern == other.pattern && query.elementsEqual(other.query, by: ==)
        }

        /// Returns true if the entry responds where a request matches both; of equally specific ones this one does.
        func precedes(_ other: Entry) -> Bool {
            pattern.isMoreSpecific(than: other.pattern) ?? (query.count >= other.query.count)
        }

        func match(_ request: LoopbackRequest) -> [String: String]? {
            let items = query.isEmpty ? [] : QueryItems.decode(request.query ?? "")
            let isMeant = query.allSatisfy { wanted in
                items.contains { $0.name == wanted.name && $0.value == wanted.value ?? $0.value }
            }
            return isMeant ? pattern.match(request.path) : nil
        }
    }

    private var entries: [Entry] = []
    /// Handles requests that no route matches; a 404 or a 405 if it is `nil`.
    var fallback: Route?

    mutating func add(_ route: Route, method: HTTPRequest.Method, template: PathTemplate) {
        let entry = Entry(method: method, pattern: PathPattern(template), query: template.literalQuery, route: route)
        entries.removeAll { entry.isAlike($0) }
        entries.append(entry)
    }

    func route(for request: LoopbackRequest) -> Route {
        var allowed: Set<String> = []
        var best: (entry: Entry, parameters: [String: String])?
        for entry in entries {
            guard let parameters = entry.match(request) else {
                continue
            }
            guard entry.method == request.method else {
                allowed.insert(entry.method.rawValue)
                continue
            }
            // Of routes that are equally specific the last one responds, as with dummies.
            if best.map({ entry.precedes($0.entry) }) ?? true {
                best = (entry, parameters)
            }
        }
        if let best {
            var route = best.entry.route
            route.parameters = best.parameters
            return route
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
