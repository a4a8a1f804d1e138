// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@Suite
struct ChaosInterceptorTests {
    private static func chaos(_ seed: UInt64 = 7) -> ChaosInterceptor {
        ChaosInterceptor(
            seed: seed,
            [.refused: 0.1, .status(.serviceUnavailable, headers: [:]): 0.2, .cut: 0.1, .body: 0.1]
        )
    }

    /// The outcomes of some calls, one after the other.
    private static func outcomes(_ chaos: ChaosInterceptor, count: Int = 200) async -> [String] {
        let client = StubbedClient(answering: .text("7777"))
        client.manager.options = client.manager.options.interceptors(chaos, perAttempt: true)
        var outcomes: [String] = []
        for _ in 0..<count {
            do {
                outcomes.append(try await client.manager.request(String.self).endpoint("/a").send())
            } catch {
                outcomes.append((error as? RestClientError)?.code.description ?? "\(error)")
            }
        }
        return outcomes
    }

    @Test
    func `nothing is disturbed until it is enabled`() async {
        let chaos = Self.chaos()
        let outcomes = await Self.outcomes(chaos)
        #expect(Set(outcomes) == ["7777"])
        #expect(chaos.injected.isEmpty)
    }

    @Test
    func `the same seed disturbs the same attempts, another seed others`() async {
        var runs: [[String]] = []
        for seed: UInt64 in [7, 7, 8] {
            let chaos = Self.chaos(seed)
            chaos.isEnabled = true
            runs.append(await Self.outcomes(chaos))
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
    }

    @Test
    func `each disturbance comes about as often as it was asked for`() async {
        let chaos = Self.chaos()
        chaos.isEnabled = true
        let outcomes = await Self.outcomes(chaos, count: 1_000)
        let counts = Dictionary(grouping: outcomes, by: \.self).mapValues(\.count)
        #expect((60...140).contains(counts["connectionFailed"] ?? 0))
        #expect((130...230).contains(counts["unacceptableStatus"] ?? 0))
        #expect((40...110).contains(counts["connectionClosed"] ?? 0))
        #expect((500...650).contains(counts["7777"] ?? 0))
        #expect(chaos.injected.count == 1_000 - (counts["7777"] ?? 0))
    }

    @Test
    func `a delay holds the attempt on its clock, and another disturbance may follow`() async throws {
        let clock = ManualClock()
        let chaos = ChaosInterceptor(seed: 1, [.latency(.seconds(3)): 1, .refused: 1], clock: clock)
        chaos.isEnabled = true
        let client = StubbedClient(answering: .text("7"))
        client.manager.options = client.manager.options.interceptors(chaos, perAttempt: true)
        let call = Task { try await client.manager.request(String.self).endpoint("/a").timeout(nil).send() }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: RestClientError.self) { try await call.value }
        #expect(error?.code == .connectionFailed)
        #expect(client.requests.isEmpty)
    }
}
