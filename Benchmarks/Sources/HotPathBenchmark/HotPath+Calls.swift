// SPDX-License-Identifier: MIT

import Foundation
import RestClient

extension HotPath {
    /// Calls with options that most programs set.
    static func optionedCalls() throws -> [HotPath] {
        let plain = try manager()
        let observed = try manager()
        let observation = observed.observe { _ in }
        let guarded = try manager()
        guarded.options = guarded.options.rateLimit(.perSecond(1_000_000_000, burst: 1_000_000)).concurrency(1_000)
            .circuitBreaker(.standard).retryBudget(.standard)
        let token = TokenSource(AccessToken("token")) { _ in AccessToken("token") }
        return [
            HotPath(name: "call, retry and token") { number in
                let node = plain.request(bytes).parameter("user", number).authentication(.bearer(token))
                    .retry(.standard)
                expect(try await node.send().count == 1_037)
            },
            HotPath(name: "call, guarded") { number in
                expect(try await guarded.request(bytes).parameter("user", number).send().count == 1_037)
            },
            HotPath(name: "call, guarded by the node") { number in
                let node = plain.request(bytes).parameter("user", number)
                    .rateLimit(.perSecond(1_000_000_000, burst: 1_000_000)).concurrency(1_000)
                    .circuitBreaker(.standard).retryBudget(.standard)
                expect(try await node.send().count == 1_037)
            },
            HotPath(name: "call, query and fields") { number in
                let node = plain.request(bytes).parameter("user", number)
                    .query(["page": number, "q": "two words"]).header(.accept, "application/json")
                expect(try await node.send().count == 1_037)
            },
            HotPath(name: "call, observed") { number in
                expect(try await observed.request(bytes).parameter("user", number).send().count == 1_037)
                withExtendedLifetime(observation) {}
            },
        ]
    }
}
