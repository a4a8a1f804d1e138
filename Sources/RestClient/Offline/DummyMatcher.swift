// SPDX-License-Identifier: MIT

import HTTPTypes

/// Finds the dummy for a request: a pure function of the request and the registrations.
enum DummyMatcher {
    /// A dummy that fits, and what stands in its placeholders.
    struct Match {
        let responder: DummyResponder
        let parameters: [String: String]
    }

    /// The most specific dummy that fits; of equally specific ones the one registered last.
    static func match(
        method: HTTPRequest.Method,
        url: String,
        prefix: String,
        responders: [DummyResponder],
        servers: [ServerKey: Registered<Server>]
    ) -> Match? {
        var best: Match?
        for responder in responders where responder.method == method {
            guard let path = path(of: url, for: responder, callPrefix: prefix, servers: servers),
                let parameters = responder.pattern.match(path)
            else {
                continue
            }
            if best.map({ !isBetter($0.responder, than: responder) }) ?? true {
                best = Match(responder: responder, parameters: parameters)
            }
        }
        return best
    }

    /// What to tell someone whose request no dummy fits: the nearest ones, and what differs.
    static func nearMisses(
        method: HTTPRequest.Method,
        url: String,
        prefix: String,
        responders: [DummyResponder]
    ) -> String {
        guard !responders.isEmpty else {
            return "no dummy is registered"
        }
        let bare = url.prefix { $0 != "?" && $0 != "#" }
        let path = tail(of: bare, after: prefix) ?? Substring(URLReference(bare).path)
        var nearest = responders.filter { $0.pattern.match(path) != nil }
        if nearest.isEmpty {
            let lookalikes = responders.map { $0.pattern.lookalike(of: path) }
            nearest = NearestNames.of(String(path), among: Set(lookalikes))
                .flatMap { name in zip(responders, lookalikes).filter { $0.1 == name }.map(\.0) }
        }
        guard !nearest.isEmpty else {
            return "registered: " + responders.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
        }
        let texts = nearest.prefix(3)
            .map { responder in
                var differences = responder.method == method ? [] : ["another method"]
                if responder.pattern.match(path) == nil {
                    differences.append("another path")
                }
                let difference = differences.isEmpty ? "another server" : differences.joined(separator: ", ")
                return "'\(responder)' (\(difference))"
            }
        return "nearest: " + texts.joined(separator: ", ")
    }

    /// Whether one of two fitting dummies wins over the other, registered later.
    private static func isBetter(_ earlier: DummyResponder, than later: DummyResponder) -> Bool {
        if let isMoreSpecific = earlier.pattern.isMoreSpecific(than: later.pattern) {
            return isMoreSpecific
        }
        return earlier.server != nil && later.server == nil
    }

    /// The path of a request below the server that a dummy stands in for; `nil` when it goes to another server.
    private static func path(
        of url: String,
        for responder: DummyResponder,
        callPrefix: String,
        servers: [ServerKey: Registered<Server>]
    ) -> Substring? {
        let bare = url.prefix { $0 != "?" && $0 != "#" }
        if let key = responder.server {
            guard case .success(let base)? = servers[key]?.value.base else {
                return nil
            }
            return tail(of: bare, after: base.prefix)
        }
        if let tail = tail(of: bare, after: callPrefix) {
            return tail
        }
        return Substring(URLReference(bare).path)
    }

    private static func tail(of url: Substring, after prefix: String) -> Substring? {
        guard !prefix.isEmpty, url.hasPrefix(prefix) else {
            return nil
        }
        let tail = url.dropFirst(prefix.count)
        return tail.isEmpty || tail.hasPrefix("/") ? tail : nil
    }
}
