// SPDX-License-Identifier: MIT

import HTTPTypes

/// Tells the story of a call in sentences, without secrets: a pure function of the facts that its stages recorded.
enum CallStory {
    /// Returns the story, one sentence per line.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - end: The end of the call, as in `succeeded with 200 from the network`.
    ///   - cache: The decision of the cache, in words.
    /// - Returns: The story.
    static func text(of call: CallContext, end: String, cache: String?) -> String {
        let facts = call.facts
        let timings = call.timings
        var lines = ["\(call.summary) \(end)."]
        for option in call.options.explanations(in: call.policy.environment) {
            lines.append("Option \(option).")
        }
        if let cache {
            lines.append("Cache: \(cache)")
        }
        lines += credentials(of: call, facts)
        for wait in timings.waits {
            lines.append("The call waited \(wait.end - wait.start) for its turn or a worker.")
        }
        for exchange in timings.exchanges {
            lines.append(
                "Attempt \(exchange.attempt) was on the wire for \(exchange.end - exchange.start), beginning after "
                    + "\(exchange.start)."
            )
        }
        for hop in facts.redirects {
            lines.append("The server redirected the call with \(hop.status.code).")
        }
        lines += facts.story.map { "Then: \($0)." }
        if facts.effect.unsafeCount > 0 {
            lines.append("\(facts.effect.unsafeCount) of the requests may have changed data on the server.")
        }
        return lines.joined(separator: "\n")
    }

    private static func credentials(of call: CallContext, _ facts: CallFacts) -> [String] {
        guard let wire = facts.wire else {
            return ["No request was sent."]
        }
        let names = Set(wire.map(\.name)).filter { Credentials.contain($0, declared: call.policy.secretFields) }
        guard !names.isEmpty else {
            return ["The request had no credentials."]
        }
        return ["The request had credentials in \(names.map(\.rawName).sorted().joined(separator: ", "))."]
    }
}
