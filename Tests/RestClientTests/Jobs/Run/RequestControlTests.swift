// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// The time limits and the attempts of nodes that send requests.
@Suite(.timeLimit(.minutes(5)))
struct RequestControlTests {
    private let clock = ManualClock()

    private func client() -> StubbedClient {
        StubbedClient { [clock] in $0.clock = clock }
    }

    @Test
    func `calls late in a run get its remaining time`() async throws {
        let client = client()
        let clock = clock
        var graph = JobGraph("shrinking")
        let first = graph.local("first") { clock.advance(by: .seconds(7)) }
        graph.request("second", after: first) { _ in RequestNode(Void.self).endpoint("/a") }
        graph.request("third", after: first) { _ in RequestNode(Void.self).endpoint("/b").timeout(.seconds(1)) }
        #expect(try await client.manager.run(graph, options: [.timeout(.seconds(10))]).isSuccess)
        #expect(client.requests.compactMap(\.timeout).sorted() == [.seconds(1), .seconds(3)])
    }

    @Test
    func `a graph inside shares the time of its node`() async throws {
        let client = client()
        var graph = JobGraph("outside")
        graph.subgraph("inside", after: graph.local("one") { 1 }, options: [.timeout(.seconds(4))]) { inside, _ in
            inside.request("call") { RequestNode(Void.self).endpoint("/a") }
        }
        #expect(try await client.manager.run(graph).isSuccess)
        #expect(client.requests.map(\.timeout) == [.seconds(4)])
    }

    @Test
    func `a retry makes its request again`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable), .text("fine")) { $0.clock = self.clock }
        let made = Counter()
        var graph = JobGraph("again")
        let node = graph.request("node", options: [.retry(2)]) {
            RequestNode(String.self).endpoint(PathTemplate("/\(made.next())"))
        }
        let execution = try client.manager.start(graph)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        #expect(try await execution.finished()[node] == "fine")
        #expect(client.requests.map { $0.url.suffix(2) } == ["/1", "/2"])
    }
}
