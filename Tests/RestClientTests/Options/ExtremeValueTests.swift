// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Options with the largest, smallest and strangest values that their types have: no call traps on them.
@Suite(.timeLimit(.minutes(5)))
struct ExtremeValueTests {
    private typealias Node = RequestNode<Void>

    /// The standard library cannot print longer ones.
    private static let durations: [Duration] = [
        .zero, .nanoseconds(1), .seconds(-1), .seconds(-3_600), .nanoseconds(Int64.min), .seconds(Int64.min),
        .seconds(Int64.max),
    ]
    private static let integers = [Int.min, -1, 0, 1, Int.max - 1, Int.max]
    private static let numbers = [
        Double.nan, .infinity, -.infinity, -1, 0, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]

    /// Sends a call twice to a server that fails first, and describes it.
    private static func use(
        _ transport: StubTransport = StubTransport(answering: [.status(.serviceUnavailable), .status(.ok)]),
        _ describe: @Sendable (Node) -> Node
    ) async {
        let clock = ManualClock()
        let client = StubbedClient(transport) { $0.clock = clock }
        // Without a limit of its own, only what is described makes the call wait.
        let node = describe(client.manager.request(Void.self).endpoint("/a").timeout(nil))
        let time = Task {
            while !Task.isCancelled {
                try await clock.waitForSleepers(count: 1)
                clock.advance(by: .seconds(Int64(1) << 33))
            }
        }
        defer { time.cancel() }
        for _ in 0..<2 {
            do {
                let response = try await node.response()
                _ = (response.explain(), response.explainOptions().map(\.description))
            } catch {
                _ = (error as? RestClientError)?.explain()
            }
        }
        _ = "\(client.manager.guards.snapshots)"
        var text = ""
        dump(node, to: &text)
    }

    @Test(arguments: durations)
    func `a limit of time may be any duration`(duration: Duration) async {
        await Self.use { $0.timeout(duration) }
        await Self.use { $0.timeouts(attempt: duration) }
        await Self.use { $0.timeouts(firstByte: duration, idle: duration) }
        await Self.use { $0.minimumDuration(duration) }
        await Self.use { $0.deadlineField(.expires).timeout(duration) }
        await Self.use { $0.cache(.elseNetwork(maxAge: duration).storing(for: duration)) }
        await Self.use { $0.cache(.staleWhileRevalidate(maxAge: duration)) }
        await Self.use { $0.expectContinue(from: 0, within: duration) }
    }

    @Test(arguments: durations)
    func `the waits of guards may be any duration`(duration: Duration) async {
        await Self.use { $0.hedging(.after(duration)) }
        await Self.use { $0.rateLimit(.count(1, per: duration)) }
        await Self.use { $0.rateLimit(.count(.max, per: duration, burst: .max)) }
        await Self.use { $0.rateLimit(.window(1, per: duration)) }
        await Self.use { $0.rateLimit(.window(.max, per: duration)) }
        await Self.use { $0.circuitBreaker(.failures(1, within: duration, opensFor: duration)) }
        await Self.use { node in
            var budget = RetryBudget.standard
            budget.window = duration
            return node.retryBudget(budget).retry(3)
        }
        await Self.use { node in
            var limit = RateLimit.perSecond(1)
            limit.maximumWait = duration
            return node.rateLimit(limit)
        }
        await Self.use { node in
            var breaker = CircuitBreaker.standard
            (breaker.minimumCalls, breaker.slowCallDuration) = (1, duration)
            return node.circuitBreaker(breaker)
        }
    }

    @Test(arguments: durations, numbers)
    func `the waits between attempts may be any durations, times any factor`(
        duration: Duration,
        factor: Double
    ) async {
        await Self.use(StubTransport(answering: [.status(.serviceUnavailable)])) { node in
            var policy = RetryPolicy(attempts: 4)
            policy.backoff = Backoff(duration, multiplier: factor, longest: .seconds(Int64.max))
            return node.timeout(nil).retry(policy)
        }
        for usesJitter in [true, false] {
            var policy = RetryPolicy(attempts: .max)
            let jitter: Double = usesJitter ? 1 : 0
            policy.backoff = Backoff(duration, multiplier: factor, longest: duration, jitter: jitter)
            var generator = SplitMix64(seed: 1)
            for attempt in [1, 2, 70] {
                _ = policy.decision(
                    after: AttemptFailure(StubError(), requestedDelay: duration),
                    attempt: attempt,
                    remaining: duration,
                    using: &generator
                )
                _ = policy.decision(
                    after: AttemptFailure(StubError()),
                    attempt: attempt,
                    remaining: nil,
                    using: &generator
                )
            }
        }
        var stream = EventStreamPolicy()
        (stream.backoff.first, stream.backoff.longest) = (duration, .seconds(Int64.max))
        (stream.backoff.multiplier, stream.backoff.jitter) = (factor, factor)
        for failures in [Int.min, 0, 1, 2, 70] {
            #expect(stream.delay(after: failures, random: factor) >= .zero)
            #expect(stream.delay(after: failures, serverTime: duration, random: 0.5) >= .zero)
        }
    }

    private struct StubError: Error {}

    @Test(arguments: numbers)
    func `a ratio may be any number`(number: Double) async {
        var hedging = Hedging.percentile(number)
        hedging.budget = number
        _ = hedging.delay(after: Array(repeating: .seconds(1), count: 20))
        await Self.use { [hedging] in $0.hedging(hedging) }
        await Self.use { node in
            var breaker = CircuitBreaker.standard
            (breaker.failureRatio, breaker.slowCallRatio, breaker.minimumCalls) = (number, number, 1)
            return node.circuitBreaker(breaker)
        }
        await Self.use { node in
            var budget = RetryBudget(ratio: number, minimumPerSecond: number)
            (budget.ratio, budget.minimumPerSecond) = (number, number)
            return node.retryBudget(budget).retry(3)
        }
        for completed in [Int64.min, -1, 0, 1, .max] {
            for total in [Int64.min, 0, 1, .max] {
                let progress = TransferProgress(completed: completed, total: total, rate: number)
                _ = (progress.fraction, progress.remainingTime)
                _ = ProgressLineText.text("file", progress, columns: 80)
            }
        }
        _ = DummyDelay.logNormal(median: .seconds(Int64.max), sigma: number, seed: 1).duration(ofCall: 1)
    }

    @Test(arguments: integers)
    func `a count may be any integer`(count: Int) async {
        await Self.use { $0.retry(RetryPolicy(attempts: count)).timeout(nil) }
        await Self.use { $0.limits(body: count) }
        await Self.use { $0.limits(decompression: count) }
        await Self.use { $0.limits(headerFields: count, headerBytes: count) }
        await Self.use(StubTransport(answering: [.redirect(302, to: "/b"), .status(.ok)])) {
            $0.redirects(.follow(limit: count))
        }
        await Self.use { $0.rateLimit(.perSecond(count, burst: count)) }
        await Self.use { $0.rateLimit(.count(1, per: .seconds(60), burst: count)) }
        await Self.use { $0.rateLimit(.window(count, per: .seconds(1))) }
        await Self.use { $0.concurrency(.fixed(count)) }
        await Self.use { $0.concurrency(.adaptive(initial: count, within: min(0, count)...max(0, count))) }
        await Self.use { node in
            var breaker = CircuitBreaker.standard
            (breaker.minimumCalls, breaker.probes) = (count, count)
            return node.circuitBreaker(breaker)
        }
        await Self.use { $0.accepting(StatusSet(min(0, count)..<max(0, count))) }
        await Self.use { $0.expectContinue(from: Int64(count)) }
        var range = FileRange("/dev/null")
        (range.offset, range.length) = (Int64(count), Int64(count))
        _ = try? range.resolved(7)
        let chunks = DummyResponse(body: Data("abc".utf8)).slowly(pieces: count, every: .zero)
        #expect(chunks.chunks?.ends(in: 3).last == 3)
    }

    @Test(arguments: integers)
    func `an adaptive limit calculates with any bounds`(count: Int) {
        let limit = ConcurrencyLimit.adaptive(initial: count, within: min(1, count)...max(1, count))
        var adaptive = AdaptiveLimit()
        for latency in Self.durations {
            adaptive.learn(latency, running: count, limit)
            adaptive.learn(nil, running: count, limit)
            #expect(adaptive.value(limit) >= 1)
        }
    }

    @Test(arguments: numbers)
    func `the pace in a shared file may be any number`(number: Double) throws {
        let text = number.isFinite ? "\(number)" : "0"
        let starts = #""starts": {"instants": [0, 9223372036854775807], "counts": [1, 9223372036854775807]}"#
        let limits: [RateLimit] = [
            .count(1, per: .seconds(60), burst: .max), .count(1, per: .seconds(Int64.max)), .perSecond(1),
            .window(1, per: .seconds(Int64.max)), .window(.max, per: .zero), .learned,
        ]
        for rest in [
            "", ", \(starts)", #", "terms": {"isWindow": false, "interval": \#(text), "count": -1}"#,
            #", "terms": {"isWindow": true, "interval": \#(text), "count": 1}, \#(starts)"#,
        ] {
            let json = Data(#"{"due": \#(text), "written": \#(text)\#(rest)}"#.utf8)
            for limit in limits {
                for next in limits {
                    var pace = try JSONDecoder().decode(SharedPace.self, from: json)
                    _ = pace.take(limit, patience: nil, at: 1_000)
                    _ = pace.take(next, patience: .zero, at: number)
                    _ = pace.take(limit, patience: nil, at: number)
                }
            }
        }
    }

    @Test(
        arguments: [-Double.infinity, -1e300, 0, 1e300, .infinity, .nan],
        [nil, 0, 1e300, Double.infinity, Double.nan] as [Double?]
    )
    func `a stored response may have been written at any time`(stored: Double, expiry: Double?) {
        let head = StoredHead(
            bodyID: 1,
            status: .ok,
            headers: [:],
            method: .get,
            requestURL: "https://a.example/",
            url: nil,
            requestTime: Date(timeIntervalSince1970: 0),
            responseTime: Date(timeIntervalSince1970: 0),
            selecting: SelectingFields([]),
            requestedRange: nil,
            limit: nil,
            isInvalidated: false,
            isDecodable: true
        )
        let entry = CacheEntry(
            body: Data(),
            storedAt: Date(timeIntervalSince1970: stored),
            expiresAt: expiry.map { Date(timeIntervalSince1970: $0) }
        )

        let response = StoredResponse(key: "a", head: head, entry: entry, isInMemory: false)

        #expect(response.storedAge(Date(timeIntervalSince1970: 1)) >= .zero)
        #expect(response.age(Date(timeIntervalSince1970: 1)) >= .zero)
        #expect(response.freshness.lifetime >= .zero)
    }

    // MARK: - What servers say

    private static let numerals = [
        "", "-1", "0", "1", "1e400", "9223372036854775807", "9223372036854775808", "18446744073709551616",
        String(repeating: "9", count: 400), "-9223372036854775808", "0x10", "1.5", "NaN", "inf",
        "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 0000 00:00:00 GMT",
    ]

    @Test(arguments: numerals)
    func `a number in a field of a response may be of any size`(number: String) async throws {
        let names = [
            "Retry-After", "Age", "Expires", "Date", "Last-Modified", "Content-Length",
            "RateLimit-Remaining", "RateLimit-Reset", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Total-Count",
        ]
        var fields: HTTPFields = [
            .cacheControl: "max-age=\(number), s-maxage=\(number), stale-while-revalidate=\(number), "
                + "stale-if-error=\(number)",
            .setCookie: "a=b; Max-Age=\(number); Expires=\(number)",
            .contentRange: "bytes \(number)-\(number)/\(number)",
        ]
        for name in names {
            fields[try #require(HTTPField.Name(name))] = number
        }
        let limit = try #require(HTTPField.Name("RateLimit"))
        let policy = try #require(HTTPField.Name("RateLimit-Policy"))
        fields[policy] = #""default";q=\#(number);w=\#(number)"#
        for value in [#""default";r=\#(number);t=\#(number)"#, "limit=1, remaining=\(number), reset=\(number)"] {
            fields[limit] = value
            for status in [HTTPResponse.Status.ok, .partialContent, .tooManyRequests, .serviceUnavailable] {
                let transport = StubTransport(answering: [.text("{}", status, headers: fields)])
                await Self.use(transport) {
                    $0.rateLimit(.learned).retry(2).cache(.http).cookies(CookieJar()).timeout(.seconds(5))
                }
                await Self.use(transport) { $0.header(.range, "bytes=\(number)-\(number)").cache(.http) }
            }
        }
    }
}
