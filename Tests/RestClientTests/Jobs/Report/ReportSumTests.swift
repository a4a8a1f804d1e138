// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import Synchronization
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient
@testable import RestClientReports

/// The sums of reports of real runs: the time of the run, and the requests that were sent.
@Suite(.timeLimit(.minutes(5)))
struct ReportSumTests {
    /// A clock on which every wait passes at once, except those of time limits.
    private final class JumpingClock: Clock, Sendable {
        private let manual = ManualClock()
        var now: ManualClock.Instant { manual.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
            guard now.duration(to: deadline) < .seconds(600) else {
                return try await manual.sleep(until: deadline)
            }
            manual.advance(to: max(now, deadline))
        }

        func pass(_ duration: Duration) { manual.advance(by: duration) }
    }

    /// A server that takes its time, and fails by a seed.
    private final class Server: Sendable {
        let clock = JumpingClock()
        private let seed: UInt64
        private let counts = Mutex<[String: Int]>([:])

        init(seed: UInt64) { self.seed = seed }

        func count(_ path: String) -> Int { counts.withLock { $0[path] ?? 0 } }

        var retry: RetryPolicy {
            var retry = RetryPolicy(attempts: 3)
            retry.backoff.first = .milliseconds(200)
            retry.backoff.jitter = 0
            return retry
        }

        func client(workers: Int) -> StubbedClient {
            let client = StubbedClient(StubTransport { [self] in respond($0) }) { [clock] configuration in
                configuration.clock = clock
                configuration.workerCount = workers
            }
            let source = TokenSource(AccessToken("old", expiresAt: .distantPast)) { [clock] _ in
                clock.pass(.milliseconds(500))
                return AccessToken("new")
            }
            client.manager.servers["store"] = RestClient.Server("https://api.example.com")
                .authentication(.bearer(source)).retry(retry)
            return client
        }

        private func respond(_ request: TransportRequest) -> RawResponse {
            let path = String(request.url.dropFirst("https://api.example.com".count))
            let number = counts.withLock { counts in
                counts[path, default: 0] += 1
                return counts[path] ?? 0
            }
            let bits = path.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            var generator = SeededGenerator(seed: bits &+ UInt64(number))
            let time = Int.random(in: 1...50, using: &generator)
            clock.pass(.milliseconds(time))
            let fails = Int.random(in: 0..<5, using: &generator) < 2
            var response = RawResponse(status: fails ? .serviceUnavailable : .ok, body: Data(#""x""#.utf8))
            response.timings = ExchangeTimings(
                connecting: .milliseconds(time / 4),
                sending: .milliseconds(time / 4),
                waiting: .milliseconds(time / 4),
                receiving: .milliseconds(time / 4)
            )
            return response
        }
    }

    private static func node(_ path: String) -> RequestNode<String> { RequestNode(String.self).endpoint("\(path)") }

    private static func element(_ number: Int) -> RequestNode<Void> {
        RequestNode(Void.self).endpoint("/detail/{n}").parameter("n", number)
    }

    private static func graph(_ server: Server, _ generator: inout SeededGenerator) -> JobGraph {
        var graph = JobGraph("night")
        let first = graph.request("/first") { RequestNode(Void.self).endpoint("/first") }
        let again = graph.request("/again", after: first, options: [.retry(server.retry)]) { _ in
            RequestNode(Void.self).endpoint("/again")
        }
        let count = Int.random(in: 0...12, using: &generator)
        let items = graph.local("items") { Array(0..<count) }
        let limit = Int.random(in: 1...4, using: &generator)
        let loop: JobOptions? = Bool.random(using: &generator) ? [.retry(server.retry)] : nil
        graph.forEach("detail", in: items, limit: limit, onFailure: .ignore, options: loop) { element($0) }
        var inner = JobGraph("inner")
        inner.request("/inner") { RequestNode(Void.self).endpoint("/inner") }
        let work = inner.local("work") { [clock = server.clock] in clock.pass(.milliseconds(30)) }
        graph.subgraph("sub", inner, output: work, options: [.retry(server.retry)])
        graph.local("last", after: again) { [clock = server.clock] _ in clock.pass(.milliseconds(20)) }
        return graph
    }

    private static func all(_ nodes: [RunReport.Node]) -> [RunReport.Node] {
        nodes.flatMap { [$0] + all($0.children) }
    }

    /// The widths of the bar of the critical path, in percent.
    private static func shares(_ page: String) -> Double {
        let bar = page.split(separator: "<div class=\"share\">").dropFirst().first?.prefix { $0 != "\n" } ?? ""
        return bar.split(separator: "width:").dropFirst().reduce(0) { $0 + (Double($1.prefix { $0 != "%" }) ?? 0) }
    }

    @Test(arguments: UInt64(1)...40)
    func `whatever a report shows adds up`(seed: UInt64) async throws {
        let server = Server(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let client = server.client(workers: Int.random(in: 1...3, using: &generator))
        let graph = Self.graph(server, &generator)

        let report = try await client.manager.run(graph).report

        let nodes = Self.all(report.nodes)
        #expect(report.criticalSteps.reduce(.zero) { $0 + $1.duration } == report.duration)
        if report.duration > .zero {
            #expect(abs(Self.shares(report.html()) - 100) < 0.1)
        }
        for node in nodes {
            #expect(node.spans.allSatisfy { $0.start >= .zero && $0.start <= $0.end && $0.end <= report.duration })
            #expect(zip(node.spans, node.spans.dropFirst()).allSatisfy { $0.end <= $1.start }, "\(node.name)")
            #expect(node.ended.map { $0 <= report.duration } ?? true)
            let name = node.name.split(separator: "[")
            let path = name.count == 2 ? "/detail/\(name[1].dropLast())" : node.name
            if node.kind == .request, node.name != "/inner" {
                #expect(node.attempts == server.count(path), "\(node.name)")
            }
        }
        #expect(try RunReport(json: report.json()).nodes == report.nodes)
    }

    @Test
    func `the waits of a call for its next attempt and for its token have phases, in loops too`() async throws {
        let failures = Counter()
        let clock = JumpingClock()
        let client = StubbedClient(
            StubTransport { _ in
                clock.pass(.milliseconds(10))
                return .status(failures.next() % 3 == 0 ? .ok : .serviceUnavailable)
            }
        ) { configuration in
            configuration.clock = clock
        }
        var retry = RetryPolicy(attempts: 3)
        (retry.backoff.first, retry.backoff.jitter) = (.seconds(1), 0)
        let source = TokenSource(AccessToken("old", expiresAt: .distantPast)) { _ in
            clock.pass(.seconds(2))
            return AccessToken("new")
        }
        client.manager.servers["store"] = RestClient.Server("https://api.example.com")
            .authentication(.bearer(source)).retry(retry)
        var graph = JobGraph("g")
        let one = graph.request("one") { RequestNode(Void.self).endpoint("/one") }
        let items = graph.local("items", after: one) { _ in [1, 2] }
        graph.forEach("each", in: items, limit: 1) { _ in RequestNode(Void.self).endpoint("/each") }

        let report = try await client.manager.run(graph).report

        let attempts: [RunReport.Phase] = [.waiting, .backoff, .waiting, .backoff, .waiting]
        #expect(report.nodes[0].spans.map(\.phase) == [.authenticating] + attempts)
        #expect(report.nodes[0].spans.map(\.attempt) == [1, 1, 1, 2, 2, 3])
        #expect(report.nodes[0].attempts == 3)
        let elements = try #require(report.nodes.last?.children)
        #expect(elements.map(\.attempts) == [3, 3])
        #expect(elements.map { $0.spans.map(\.phase) } == [attempts, attempts])
        #expect(report.html().contains("↻ 6"))
    }

    @Test
    func `attempts of a call are counted with those of its node`() async throws {
        let failures = Counter()
        let client = StubbedClient(StubTransport { _ in .status(failures.next() < 6 ? .serviceUnavailable : .ok) }) {
            $0.clock = JumpingClock()
        }
        var retry = RetryPolicy(attempts: 3)
        retry.backoff.first = .milliseconds(1)
        var graph = JobGraph("g")
        graph.request("one", options: [.retry(retry)]) { [retry] in
            RequestNode(Void.self).endpoint("/one").retry(retry)
        }

        let report = try await client.manager.run(graph).report

        #expect(report.nodes[0].attempts == 6)
        #expect(report.nodes[0].spans.map(\.attempt) == report.nodes[0].spans.map(\.attempt).sorted())
    }
}
