// SPDX-License-Identifier: MIT

package import HTTPTypes

/// The result of comparing a request with a dummy: the values of the placeholders, or the differences.
package struct DummyMatch {
    package struct Difference {
        package let text: String
        let weight: Int
    }

    package private(set) var parameters: [String: String] = [:]

    /// True if the path matches, on any server.
    private(set) var hasPath = false

    package private(set) var differences: [Difference] = []

    package var isMatch: Bool { differences.isEmpty }

    package var distance: Int { differences.reduce(0) { $0 + $1.weight } }

    /// Compares a request with a dummy, up to the first difference if `stopsEarly` is true.
    package init(
        _ request: DummyRequest,
        _ dummy: Dummy,
        _ context: DummyContext,
        body: inout RequestMatcher.Body,
        stopsEarly: Bool
    ) {
        guard let target = Target(of: dummy, in: context) else {
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
        if !isMatch, stopsEarly {
            return
        }
        var path = context.path(of: url)
        if let ownPath = context.path(of: url, server: target.server) {
            path = ownPath
        } else {
            note("server: not '\(target.server?.rawValue ?? "")'", weight: 3)
        }
        if let values = target.pattern.match(path) {
            parameters = values
            hasPath = true
        } else {
            let wanted = Redaction.url(target.template.source)
            note("path: '\(path)' instead of '\(wanted)'", weight: 6)
        }
        if !isMatch, stopsEarly {
            return
        }
        var request = request
        request.parameters = parameters
        for condition in dummy.conditions {
            if let text = condition.difference(in: request, body: &body) {
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

    package struct Target {
        package let api: String?
        package let method: HTTPRequest.Method?
        package let server: ServerAlias?
        package let pattern: PathPattern
        let template: PathTemplate

        /// Looks up the endpoint; `nil` if the dummy's API is not registered.
        package init?(of dummy: Dummy, in context: DummyContext) {
            switch dummy.target {
            case .endpoint(let endpoint):
                api = nil
                method = endpoint.method
                template = endpoint.template
                server = endpoint.server
                pattern = endpoint.pattern
            case .api(let name):
                guard let endpoint = context.directory?.endpoint(of: name) else {
                    return nil
                }
                api = name
                method = endpoint.method
                template = endpoint.template
                server = endpoint.server
                pattern = PathPattern(endpoint.template)
            }
        }
    }
}
