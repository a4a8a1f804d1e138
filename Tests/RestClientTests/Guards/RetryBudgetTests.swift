// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite
struct RetryBudgetTests {
    private static func quick(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy(attempts: attempts)
        policy.backoff.first = .zero
        return policy
    }

    @Test(arguments: [(0, 0, true), (0, 9, true), (0, 10, false), (100, 19, true), (100, 20, false)])
    func `there is room for a tenth of the calls, and one in each second`(calls: Int, retries: Int, isRoom: Bool) {
        #expect(RetryBudget.standard.allows(calls: calls, retries: retries) == isRoom)
    }

    @Test
    func `a budget has a tenth of the calls and one retry a second in ten seconds, and nothing below zero`() {
        let (standard, none) = (RetryBudget.standard, RetryBudget(ratio: -1, minimumPerSecond: -1))

        #expect((standard.ratio, standard.minimumPerSecond) == (0.1, 1))
        #expect(standard.window == .seconds(10))
        #expect((none.ratio, none.minimumPerSecond) == (0, 0))
        #expect(!none.allows(calls: 1_000, retries: 0))
    }

    /// A tenth is no binary number: multiples of it are a little more or less than they should be.
    @Test(arguments: 1...50)
    func `errors of rounding neither add nor take a retry`(tenths: Int) {
        let budget = RetryBudget(ratio: 0.1, minimumPerSecond: 0)

        #expect(budget.allows(calls: tenths * 10, retries: tenths - 1))
        #expect(!budget.allows(calls: tenths * 10, retries: tenths))
        #expect(!budget.allows(calls: tenths * 10 - 1, retries: tenths - 1))
    }

    @Test
    func `an outage is not multiplied`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(answering: .status(.serviceUnavailable)) { $0.clock = clock }
        var budget = RetryBudget(ratio: 0.2, minimumPerSecond: 0)
        budget.window = .seconds(10)
        client.manager.options = client.manager.options.retry(Self.quick(4)).retryBudget(budget)
        let log = EventRecorder(client.manager)
        for _ in 0..<50 {
            let error = await client.failure { $0.endpoint("/a") }
            #expect(error?.status == .serviceUnavailable)
        }
        #expect(client.requests.count == 60)
        let reasons = log.events.compactMap { event -> RetrySuppression? in
            guard case .retrySuppressed(let reason, _) = event.kind else {
                return nil
            }
            return reason
        }
        #expect(reasons.contains(.budgetExhausted))
    }

    @Test
    func `calls of a node, of a group and of a graph share the budget of their server`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable)) { $0.clock = ManualClock() }
        var budget = RetryBudget(ratio: 0, minimumPerSecond: 0.3)
        budget.window = .seconds(10)
        client.manager.servers["store"] = Server("https://api.example.com/v1").retryBudget(budget)
        let node = client.manager.request(Void.self).endpoint("/a")
        _ = await client.failure { _ in node.retry(Self.quick(3)) }
        #expect(client.requests.count == 3)

        // Two of three retries are spent; a graph repeats its node once, and a call not at all.
        var graph = JobGraph("outage")
        graph.request("a", options: [.retry(Self.quick(5))]) { node }
        _ = try await client.manager.run(graph)
        #expect(client.requests.count == 5)
        _ = await client.failure { _ in node.retry(Self.quick(3)) }
        #expect(client.requests.count == 6)
    }

    @Test
    func `another server has a budget of its own, and the window gives room again`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(answering: .status(.serviceUnavailable)) { $0.clock = clock }
        client.manager.servers["other"] = "https://other.example.com"
        var budget = RetryBudget(ratio: 0, minimumPerSecond: 0.1)
        budget.window = .seconds(10)
        client.manager.options = client.manager.options.retry(Self.quick(2)).retryBudget(budget)
        let steps: [(server: ServerAlias, count: Int)] = [("store", 2), ("store", 3), ("other", 5), ("other", 6)]
        for (server, count) in steps {
            _ = await client.failure { $0.server(server).endpoint("/a") }
            #expect(client.requests.count == count)
        }
        clock.advance(by: .seconds(11))
        _ = await client.failure { $0.endpoint("/a") }
        #expect(client.requests.count == 8)
    }
}
