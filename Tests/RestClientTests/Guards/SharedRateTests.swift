// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// Rate limits that several managers of one directory share, as processes do.
@Suite(.timeLimit(.minutes(5)))
struct SharedRateTests {
    private static func client(
        _ directory: TemporaryDirectory?,
        _ clock: ManualClock = ManualClock(),
        _ limit: RateLimit
    ) throws -> StubbedClient {
        let client = StubbedClient(StubTransport { _ in .text("7") }) { configuration in
            configuration.clock = clock
            configuration.now = { Date(timeIntervalSince1970: 1_000_000 + clock.now.offset / .seconds(1)) }
            configuration = configuration.timeout(.seconds(10))
        }
        client.manager.servers["store"] = Server("https://api.example.com/v1").rateLimit(limit)
        if let directory {
            try client.manager.persist(in: directory.url)
        }
        return client
    }

    // MARK: - The pace

    @Test
    func `turns come evenly spread, after a burst`() {
        var pace = SharedPace()
        let limit = RateLimit.perSecond(2, burst: 3)

        let turns = (0..<6).map { _ in pace.take(limit, patience: nil, at: 100) }

        let waits: [SharedPace.Turn] = [0.5, 1, 1.5].map { .after(.seconds($0)) }
        #expect(turns == [.now, .now, .now] + waits)
        #expect(pace.take(limit, patience: nil, at: 102) == .now)
        #expect(pace.take(limit, patience: nil, at: 1_000) == .now)
        #expect((0..<2).map { _ in pace.take(limit, patience: nil, at: 1_000) } == [.now, .now])
        #expect(pace.take(limit, patience: nil, at: 1_000) == .after(.milliseconds(500)))
    }

    @Test
    func `a call that is too impatient takes nobody's turn`() {
        var pace = SharedPace()
        let limit = RateLimit.perSecond(1)
        _ = pace.take(limit, patience: nil, at: 100)
        let before = pace

        #expect(pace.take(limit, patience: .milliseconds(900), at: 100) == .tooLate(.seconds(1)))
        #expect(pace == before)
        #expect(pace.take(limit, patience: .seconds(2), at: 100) == .after(.seconds(1)))
    }

    @Test
    func `a clock that was set back holds up no call for long`() {
        var pace = SharedPace()
        let limit = RateLimit.perSecond(1)
        _ = pace.take(limit, patience: nil, at: 100_000)

        #expect(pace.take(limit, patience: nil, at: 90_000) == .after(.seconds(1)))
        // Two processes may read a clock in another order than they write.
        #expect(pace.take(limit, patience: nil, at: 89_999) == .after(.seconds(3)))
    }

    @Test
    func `a limit that only follows the server has no turns`() {
        var pace = SharedPace()
        #expect((0..<9).allSatisfy { _ in pace.take(.learned, patience: .zero, at: 100) == .now })
    }

    // MARK: - Managers of one directory

    @Test
    func `the calls of two managers together stay within the limit`() async throws {
        let (directory, clock) = (try TemporaryDirectory(), ManualClock())
        let limit = RateLimit.perSecond(1).sharedAcrossProcesses()
        let (first, second) = (try Self.client(directory, clock, limit), try Self.client(directory, clock, limit))
        let log = EventRecorder(second.manager)

        try await first.manager.request(Void.self).endpoint("/a").send()
        let held = Task { try await second.manager.request(Void.self).endpoint("/b").send() }
        try await log.wait(for: .callHeldBack)
        #expect(second.requests.isEmpty)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        try await held.value

        #expect(second.requests.count == 1)
        let names = directory.names
        #expect(names.contains("rate-limits.sqlite"))
    }

    @Test
    func `a call whose turn comes too late fails at once`() async throws {
        let (directory, clock) = (try TemporaryDirectory(), ManualClock())
        let limit = RateLimit.count(1, per: .seconds(60)).sharedAcrossProcesses()
        let (first, second) = (try Self.client(directory, clock, limit), try Self.client(directory, clock, limit))
        try await first.manager.request(Void.self).endpoint("/a").send()

        let error = await second.failure { $0.server("store").endpoint("/b") }

        #expect(error?.code == .rateLimitExceeded)
        #expect(second.requests.isEmpty)
        #expect(second.manager.guards["store"]?.running == 0)
    }

    @Test
    func `without a directory the limit is the manager's own`() async throws {
        let limit = RateLimit.count(1, per: .seconds(60)).sharedAcrossProcesses()
        let (first, second) = (try Self.client(nil, ManualClock(), limit), try Self.client(nil, ManualClock(), limit))

        for client in [first, second] {
            try await client.manager.request(Void.self).endpoint("/a").send()
            let error = await client.failure { $0.server("store").endpoint("/b") }
            #expect(error?.code == .rateLimitExceeded)
        }
    }

    @Test
    func `with a file that fails the limit is the manager's own, and an event says so`() async throws {
        let directory = try TemporaryDirectory()
        try Data(repeating: 7, count: 4_096).write(to: directory.path("rate-limits.sqlite"))
        let limit = RateLimit.count(1, per: .seconds(60)).sharedAcrossProcesses()
        let client = try Self.client(directory, ManualClock(), limit)
        let log = EventRecorder(client.manager)

        try await client.manager.request(Void.self).endpoint("/a").send()
        let error = await client.failure { $0.server("store").endpoint("/b") }

        #expect(error?.code == .rateLimitExceeded)
        #expect(log.count(of: .rateLimitNotShared) == 1)
        #expect(client.requests.count == 1)
    }
}
