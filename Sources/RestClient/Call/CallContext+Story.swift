// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension CallContext {
    /// Tells the story of the call, one sentence per line and without secrets, from the facts that its stages recorded;
    /// the end is as in `succeeded with 200 from the network`.
    func story(end: String, cache: String?) -> String {
        let facts = facts
        let timings = timings
        var lines = ["\(summary) \(end).", identity.choice.sentence(server)]
        for option in options.explanations(in: policy.environment) {
            lines.append("Option \(option).")
        }
        if let cache {
            lines.append("Cache: \(cache)")
        }
        lines += credentials(facts)
        // The stages that limit calls add the sentences about waits for a turn.
        for wait in timings.waits where wait.reason == .slot {
            lines.append("The call waited \(wait.end - wait.start) for a worker slot.")
        }
        for exchange in timings.exchanges {
            lines.append(
                "Attempt \(exchange.attempt) was on the wire for \(exchange.end - exchange.start), beginning after "
                    + "\(exchange.start)."
            )
        }
        for hop in facts.request.redirects {
            lines.append("The server redirected the call with \(hop.status.code).")
        }
        lines += facts.story.map { "Then: \($0)." }
        if facts.unsafeCount > 0 {
            lines.append("\(facts.unsafeCount) of the requests may have changed data on the server.")
        }
        return MessageText.lines(lines)
    }

    private func credentials(_ facts: Facts) -> [String] {
        guard let wire = facts.request.wire else {
            return ["The call sent no request."]
        }
        let fields = Set(wire.map(\.name)).filter { Credentials.contain($0, declared: policy.secretFields) }
        var lines = fields.sorted { $0.rawName < $1.rawName }
            .map { "The request had credentials in \($0.rawName), from \(origin(of: $0))." }
        let parts = options.contributions(to: .queryCredentials)
        for (index, part) in parts.enumerated() {
            // An inner level may have replaced some of them.
            let names = part.value.keys.filter { name in !parts[(index + 1)...].contains { $0.value[name] != nil } }
            if !names.isEmpty {
                let level = text(of: part.level)
                lines.append("The URL had credentials in \(names.sorted().joined(separator: ", ")), from the \(level).")
            }
        }
        lines += policy.parts.compactMap(\.sentence)
        return lines.isEmpty ? ["The request had no credentials."] : lines
    }

    /// Returns where the credential in a field comes from, as in `the token source of the server`.
    private func origin(of field: HTTPField.Name) -> String {
        for part in policy.parts {
            if let origin = part.origin(of: field, in: options) {
                return origin.level.map { "\(origin.text) of the \(text(of: $0))" } ?? origin.text
            }
        }
        guard let (level, fields) = options.contributions(to: .headers).last(where: { $0.value.contains(field) })
        else {
            return "an interceptor"
        }
        let isProvided = fields.providers.contains { $0.name == field }
        return isProvided ? "a closure of the \(text(of: level))" : "the \(text(of: level))"
    }

    private func text(of level: CallOptions.Level) -> String {
        policy.environment?.text(of: level) ?? level.description
    }
}

/// The reason why a request goes to its server.
enum ServerChoice: Sendable {
    case call
    case api
    case isDefault
    /// The URL of the call is below the server's address.
    case url
    /// Another server failed.
    case fallback
    /// The URL of the call is below no server's address.
    case foreignURL
    /// The call has the address of a server that is not registered.
    case address

    func sentence(_ alias: ServerAlias?) -> String {
        guard let alias else {
            let hasAddress = self == .address
            let reason = hasAddress ? "the call sets its own address" : "its URL is below no server's address"
            return "The call belongs to no registered server, because \(reason)."
        }
        let reason =
            switch self {
            case .call: "the call names it"
            case .api: "the API names it"
            case .fallback: "the call fell back to it"
            case .url, .foreignURL: "the URL is below its address"
            case .isDefault, .address: "it is the default server"
            }
        return "The server is '\(AliasText.shown(alias.rawValue))', because \(reason)."
    }
}
