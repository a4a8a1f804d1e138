// SPDX-License-Identifier: MIT

import HTTPTypes

/// How a request fits a dummy: what stands in the placeholders, or what differs.
///
/// A pure function of the two and of the registries that their aliases are looked up in.
struct DummyFit {
    /// Something that the request has otherwise than the dummy wants it.
    struct Difference {
        /// The field, what it has, and what is wanted.
        let text: String
        /// How much it parts the two.
        let weight: Int
    }

    /// The values in place of the placeholders, decoded.
    private(set) var parameters: [String: String] = [:]

    /// Whether the path fits, on whatever server.
    private(set) var hasPath = false

    private(set) var differences: [Difference] = []

    var fits: Bool { differences.isEmpty }

    /// How much parts the two, all in all.
    var distance: Int { differences.reduce(0) { $0 + $1.weight } }

    /// Compares a request with a dummy; `stopsEarly` says that the first difference is enough.
    init(
        _ request: DummyRequest,
        _ responder: DummyResponder,
        _ context: DummyContext,
        body: inout DummyBody,
        stopsEarly: Bool
    ) {
        guard let target = Target(of: responder, in: context) else {
            differences = [Difference(text: "its API is not registered", weight: 8)]
            return
        }
        let url = request.url.prefix { $0 != "?" && $0 != "#" }
        if let api = target.api, !context.isServer, request.api != api {
            note("API: \(request.api.map { "'\($0)'" } ?? "none") instead of '\(api)'", weight: 4)
        }
        if let method = target.method, method != request.method {
            note("method: \(request.method.rawValue) instead of \(method.rawValue)", weight: 2)
        }
        if !fits, stopsEarly {
            return
        }
        var path = context.path(of: url)
        if let ownPath = context.path(of: url, server: target.server) {
            path = ownPath
        } else {
            note("server: another one than '\(target.server?.rawValue ?? "")'", weight: 3)
        }
        if let values = target.pattern.match(path) {
            parameters = values
            hasPath = true
        } else {
            let wanted = Redaction.url(target.template.source)
            note("path: '\(path)' instead of '\(wanted)'", weight: 6)
        }
        if !fits, stopsEarly {
            return
        }
        var request = request
        request.parameters = parameters
        for matcher in responder.dummy.matchers {
            if let text = matcher.difference(in: request, body: &body) {
                note(text, weight: 1)
                if stopsEarly {
                    return
                }
            }
        }
    }

    private mutating func note(_ text: String, weight: Int) {
        differences.append(Difference(text: text, weight: weight))
    }

    /// Where a dummy answers, its alias looked up.
    struct Target {
        let api: String?
        let method: HTTPRequest.Method?
        let template: PathTemplate
        let pattern: PathPattern
        let server: ServerAlias?

        init?(of responder: DummyResponder, in context: DummyContext) {
            switch responder.dummy.target {
            case .endpoint(let method, let template, let server):
                self.api = nil
                self.method = method
                self.template = template
                self.server = server
                pattern = responder.pattern ?? PathPattern(template)
            case .api(let name):
                guard let api = context.registries.apis[name]?.value else {
                    return nil
                }
                self.api = name
                method = api.method
                template = api.path
                server = api.server ?? context.registries.defaultServer
                pattern = PathPattern(api.path)
            }
        }
    }
}
