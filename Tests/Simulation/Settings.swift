// SPDX-License-Identifier: MIT

import JobGraphs
import RestClient
import RestEssentials

/// The configuration of the managers of one simulation, drawn from the seed.
struct Settings: Sendable {
    let workers: Int
    let hasDisk: Bool
    let retry: RetryPolicy
    private let budget: RetryBudget?
    private let breaker: CircuitBreaker?
    private let rate: RateLimit?
    private let concurrency: ConcurrencyLimit?
    private let attemptTimeout: Duration?
    let lease: Duration?
    /// True if the cancellation of a call reaches the network without a task.
    let hasCancellingTransport: Bool

    init(_ generator: inout SplitMix64) {
        workers = 1 + Int(generator.next() % 4)
        hasDisk = generator.isHit(0.6)
        var retry = RetryPolicy(attempts: 1 + Int(generator.next() % 4))
        retry.backoff.first = .milliseconds(20)
        retry.backoff.longest = .seconds(1)
        // Jitter is drawn from the system's generator.
        retry.backoff.jitter = 0
        self.retry = retry
        budget = generator.isHit(0.3) ? RetryBudget(ratio: 0.2, minimumPerSecond: 0.5) : nil
        if generator.isHit(0.5) {
            var breaker = CircuitBreaker.standard
            breaker.minimumCalls = 2 + Int(generator.next() % 4)
            breaker.window = .seconds(2)
            breaker.openDuration = .milliseconds(200)
            breaker.probes = 1 + Int(generator.next() % 2)
            self.breaker = breaker
        } else {
            breaker = nil
        }
        rate = generator.isHit(0.2) ? .perSecond(5 + Int(generator.next() % 40), burst: 2) : nil
        concurrency = generator.isHit(0.3) ? (generator.isHit(0.5) ? .adaptive() : .fixed(2)) : nil
        attemptTimeout = generator.isHit(0.5) ? .milliseconds(300 + Int(generator.next() % 2_000)) : nil
        hasCancellingTransport = generator.isHit(0.5)
        lease = generator.isHit(0.2) ? .milliseconds(500) : nil
    }

    /// The server, with what is set for all calls to it.
    func server(_ tokens: TokenSource) -> Server {
        var server = Server("https://sim.example").retry(retry).bearer(tokens).timeout(.seconds(30))
        if let budget {
            server = server.retryBudget(budget)
        }
        if let breaker {
            server = server.circuitBreaker(breaker)
        }
        if let rate {
            server = server.rateLimit(rate)
        }
        if let concurrency {
            server = server.concurrency(concurrency)
        }
        if let attemptTimeout {
            server = server.timeouts(attempt: attemptTimeout)
        }
        return server
    }
}
