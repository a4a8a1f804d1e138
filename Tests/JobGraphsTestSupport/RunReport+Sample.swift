// SPDX-License-Identifier: MIT

package import JobGraphs
import RestEssentials

extension RunReport {
    /// A run with one node of most kinds: a login, two requests side by side, of which one is tried twice, one request
    /// for each of three items, and a node that was skipped.
    package static let sample = RunReport(
        name: "nightly",
        id: "run-1",
        startedAt: Date(timeIntervalSince1970: 1_795_251_600.25),
        duration: .milliseconds(480),
        outcome: .failure,
        nodes: [
            request("login", ended: 90),
            Node(
                name: "me",
                kind: .request,
                dependencies: ["login"],
                tags: ["user"],
                status: .success,
                attempts: 2,
                detail: "GET https://api.example.com/me",
                source: .network,
                queued: .milliseconds(90),
                started: .milliseconds(95),
                ended: .milliseconds(300),
                spans: [
                    Span(.queued, start: .milliseconds(90), end: .milliseconds(95)),
                    Span(.waiting, start: .milliseconds(95), end: .milliseconds(140)),
                    Span(.backoff, start: .milliseconds(140), end: .milliseconds(200)),
                    Span(.waiting, attempt: 2, start: .milliseconds(200), end: .milliseconds(280)),
                    Span(.receiving, attempt: 2, start: .milliseconds(280), end: .milliseconds(299)),
                    Span(.decoding, attempt: 2, start: .milliseconds(299), end: .milliseconds(300)),
                ]
            ),
            Node(
                name: "items",
                kind: .request,
                dependencies: ["login"],
                status: .fromCache,
                source: .cache,
                queued: .milliseconds(90),
                started: .milliseconds(90),
                ended: .milliseconds(91)
            ),
            Node(
                name: "details",
                kind: .forEach,
                dependencies: ["items"],
                status: .failure,
                error: "unacceptableStatus: the server answered 500 Internal Server Error",
                queued: .milliseconds(91),
                started: .milliseconds(91),
                ended: .milliseconds(400),
                children: (0..<3)
                    .map { item in
                        var node = request("details[\(item)]", started: 91 + 40 * item, ended: 300 + 50 * item)
                        if item == 2 {
                            node.status = .failure
                            node.error = "unacceptableStatus: the server answered 500 Internal Server Error"
                        }
                        return node
                    }
            ),
            Node(
                name: "summary",
                kind: .local,
                dependencies: ["me", "details"],
                status: .skipped
            ),
            Node(
                name: "audit",
                kind: .local,
                dependencies: ["me"],
                status: .success,
                attempts: 1,
                queued: .milliseconds(300),
                started: .milliseconds(300),
                ended: .milliseconds(480),
                spans: [Span(.running, start: .milliseconds(300), end: .milliseconds(480))]
            ),
        ]
    )

    /// A request that went over a connection of its own.
    package static func request(_ name: String, after dependencies: [String] = [], started: Int = 0, ended: Int) -> Node
    {
        let connected = started + (ended - started) / 3
        return Node(
            name: name,
            kind: .request,
            dependencies: dependencies,
            status: .success,
            attempts: 1,
            detail: "GET https://api.example.com/\(name)",
            source: .network,
            queued: .milliseconds(started),
            started: .milliseconds(started),
            ended: .milliseconds(ended),
            spans: [
                Span(.connecting, start: .milliseconds(started), end: .milliseconds(connected)),
                Span(.waiting, start: .milliseconds(connected), end: .milliseconds(ended - 2)),
                Span(.receiving, start: .milliseconds(ended - 2), end: .milliseconds(ended - 1)),
                Span(.decoding, start: .milliseconds(ended - 1), end: .milliseconds(ended)),
            ]
        )
    }

    /// A run of nodes without spans.
    package static func run(_ nodes: [Node], outcome: RunReport.Outcome = .success) -> RunReport {
        RunReport(
            name: "run",
            id: "run-1",
            startedAt: Date(timeIntervalSince1970: 0),
            duration: nodes.compactMap(\.ended).max() ?? .zero,
            outcome: outcome,
            nodes: nodes
        )
    }

    /// A node that ran from one millisecond to another.
    package static func node(_ name: String, after dependencies: [String] = [], _ started: Int, _ ended: Int) -> Node {
        Node(
            name: name,
            kind: .local,
            dependencies: dependencies,
            status: .success,
            attempts: 1,
            queued: .milliseconds(started),
            started: .milliseconds(started),
            ended: .milliseconds(ended)
        )
    }
}

// The words that requests add.
extension RunReport.Phase {
    fileprivate static let connecting = Self(rawValue: "connecting")
    fileprivate static let waiting = Self(rawValue: "waiting")
    fileprivate static let receiving = Self(rawValue: "receiving")
    fileprivate static let decoding = Self(rawValue: "decoding")
}

extension RunReport.Source {
    fileprivate static let network = Self(rawValue: "network")
    fileprivate static let cache = Self(rawValue: "cache")
}
