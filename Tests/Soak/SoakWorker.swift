// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials

/// A process that sends many calls to the server of the soak, and then checks that every promise was kept.
struct SoakWorker: Sendable {
    struct Item: Decodable, Sendable { let name: String }
    struct Report: Decodable, Sendable {
        let orders: [String: Int]
        let received: [String: Int]
        let requests: Int
        let faults: Int
    }
    private struct Token: Decodable, Sendable {
        let accessToken: String
        let expiresIn: Int

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case expiresIn = "expires_in"
        }
    }

    /// The number of calls under way at once, and that of worker slots.
    private static let concurrency = 64
    private static let slots = 32

    /// The failures that the faults of the server explain.
    private static let explained: Set<String> = [
        "connectionClosed", "malformedResponse", "unacceptableStatus", "circuitOpen", "timeout", "tokenRefreshFailed",
        "connectionFailed",
    ]

    let name: String
    let address: String
    let directory: URL
    let calls: Int
    let limit: Duration
    let seed: UInt64

    /// Sends the calls; returns what was wrong.
    func run() async throws -> [String] {
        // What the process itself needs, such as event loops, exists before the descriptors are counted.
        _ = try await session(SoakTally(), calls: 64, limit: .seconds(10), prefix: "warm-\(name)")
        let before = await Self.descriptors(atMost: nil)
        let tally = SoakTally()
        let began = ContinuousClock.now
        let memory = try await session(tally, calls: calls, limit: limit, prefix: name)
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let after = await Self.descriptors(atMost: before)
        let counts = tally.counts
        let report = try await report()
        print(Self.summary(name, counts, report, seconds, memory, before, after))
        return counts.defects + Self.defects(counts, report, memory, before, after)
    }

    // MARK: - Calls

    /// Runs calls on a manager of their own; returns its memory over time, in megabytes.
    private func session(
        _ tally: SoakTally,
        calls: Int,
        limit: Duration,
        prefix: String
    ) async throws -> [Double] {
        let transport = DirectTransport()
        var configuration = RestClientManager.Configuration()
        configuration.transport = transport
        configuration.workerCount = Self.slots
        let manager = RestClientManager(configuration: configuration)
        try manager.persist(in: directory)
        register(manager, tally)
        let observation = manager.observe { tally.observe($0) }
        let end = ContinuousClock.now + limit
        let memory = try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<Self.concurrency {
                group.addTask {
                    var generator = SplitMix64(seed: seed &+ UInt64(lane))
                    while ContinuousClock.now < end, let number = tally.next(of: calls) {
                        await self.call("\(prefix)-\(number)", manager, tally, &generator)
                    }
                }
            }
            var samples: [Double] = []
            let watch = Task {
                var samples: [Double] = []
                while !Task.isCancelled {
                    samples.append(Self.residentMegabytes())
                    try? await Soak.clock.sleep(for: .milliseconds(500))
                }
                return samples
            }
            try await group.waitForAll()
            watch.cancel()
            samples = await watch.value
            return samples
        }
        // A request that all its callers have left ends a moment after them.
        await manager.calls.finished()
        for _ in 0..<1_000 where manager.workers.runningCount > 0 || manager.guards.snapshots.contains(where: \.isBusy)
        {
            try await Soak.clock.sleep(for: .milliseconds(10))
        }
        if manager.workers.runningCount + manager.workers.waitingCount > 0 {
            tally.note { $0.defects.append("a worker slot is still held or waited for") }
        }
        for guarded in manager.guards.snapshots where guarded.isBusy {
            tally.note { $0.defects.append("a guard still counts a call: \(guarded)") }
        }
        withExtendedLifetime(observation) {}
        return memory
    }

    private func register(_ manager: RestClientManager, _ tally: SoakTally) {
        let address = address
        let source = TokenSource { [weak manager] _ in
            guard let manager else {
                throw CancellationError()
            }
            let token = try await manager.request(Token.self).post().serverAddress(address).endpoint("/token")
                .retry(.never).send()
            return AccessToken(token.accessToken, expiresIn: .seconds(Int64(token.expiresIn)))
        }
        var retry = RetryPolicy(attempts: 3)
        retry.backoff.first = .milliseconds(2)
        retry.backoff.longest = .milliseconds(20)
        var breaker = CircuitBreaker.standard
        breaker.window = .seconds(2)
        breaker.openDuration = .milliseconds(50)
        breaker.minimumCalls = 50
        manager.servers["soak"] = Server(address).retry(retry).retryBudget(RetryBudget(ratio: 0.5))
            .circuitBreaker(breaker)
            .timeout(.seconds(20)).timeouts(attempt: .seconds(10))
        manager.defaultServer = "soak"
        manager.apis[APIAlias<Item>("cached")] = API(.get, "/cached/{name}").cache(.http)
        manager.apis[APIAlias<Item>("plain")] = API(.get, "/plain/{name}").bearer(source)
            .hedging(.after(.milliseconds(30)))
        manager.apis[APIAlias<Item>("order")] = API(.post, "/orders/{name}").bearer(source)
            .interceptors(OrderCounter(tally: tally), perAttempt: true)
    }

    /// Sends one call, which is cancelled at any moment in one case of thirty.
    private func call(
        _ name: String,
        _ manager: RestClientManager,
        _ tally: SoakTally,
        _ generator: inout SplitMix64
    ) async {
        let kind = Int.random(in: 0..<10, using: &generator)
        let id = kind < 5 ? "\(Int.random(in: 0..<400, using: &generator))" : name
        let alias = APIAlias<Item>(rawValue: kind < 5 ? "cached" : kind < 8 ? "plain" : "order")
        let node = manager.request(alias).parameter("name", id)
        let call = Task { () async throws -> Response<Item> in try await node.response() }
        if Int.random(in: 0..<30, using: &generator) == 0 {
            let delay = Int.random(in: 0..<3_000, using: &generator)
            try? await Soak.clock.sleep(for: .microseconds(delay))
            call.cancel()
        }
        let result = await call.result
        tally.note { counts in
            switch result {
            case .success(let response):
                counts.succeeded += 1
                counts.hits += response.source.isCache ? 1 : 0
                if response.model.name != id {
                    counts.defects.append("\(id) received the response of \(response.model.name)")
                }
                if kind >= 8 {
                    counts.confirmed.insert(id)
                }
            case .failure(is CancellationError):
                counts.cancelled += 1
            case .failure(let error):
                let code = (error as? RestClientError)?.code.description ?? "\(type(of: error))"
                counts.failed[code, default: 0] += 1
                if !Self.explained.contains(code), counts.defects.count < 20 {
                    counts.defects.append("a call failed without a reason: \(error)")
                }
            }
        }
    }

    private func report() async throws -> Report {
        let manager = RestClientManager()
        return try await manager.request(Report.self).serverAddress(address).endpoint("/report/\(name)").send()
    }
}

extension ServerGuards.Snapshot {
    /// A Boolean value that is true while calls run or wait.
    fileprivate var isBusy: Bool { running + waiting > 0 }
}
