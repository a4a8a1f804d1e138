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

    @Test(arguments: [(1_000.0, 60.0, 61.0), (1_000, 60.5, 1), (0, 60, 61), (0, 60.5, 1)])
    func `a clock that goes back by more than a minute was set, and one that goes back by less was not`(
        start: Double,
        seconds: Double,
        wait: Double
    ) {
        var pace = SharedPace()
        _ = pace.take(.perSecond(1), patience: nil, at: start)

        #expect(pace.take(.perSecond(1), patience: nil, at: start - seconds) == .after(.seconds(wait)))
    }

    @Test(arguments: [(0.000_000_5, true), (0.000_001_5, false)])
    func `less than a microsecond is an error of rounding`(early: Double, isNow: Bool) {
        var pace = SharedPace()
        _ = pace.take(.perSecond(1), patience: nil, at: 0)

        #expect((pace.take(.perSecond(1), patience: .zero, at: 1 - early) == .now) == isNow)
    }

    @Test(
        arguments: [
            // A microsecond is an error of rounding, too.
            (1, nil, .now), (1, .zero, .now), (2, nil, .after(.microseconds(2))),
            (2, .microseconds(3), .after(.microseconds(2))),
            // A call that can wait until its turn, and no longer, is too late.
            (2, .microseconds(2), .tooLate(.microseconds(2))), (2, .zero, .tooLate(.microseconds(2))),
        ] as [(Int, Duration?, SharedPace.Turn)]
    )
    func `a wait counts from two microseconds, and ends before the patience of its call`(
        microseconds: Int,
        patience: Duration?,
        turn: SharedPace.Turn
    ) {
        var pace = SharedPace()
        let limit = RateLimit.count(1, per: .microseconds(microseconds))
        _ = pace.take(limit, patience: nil, at: 0)

        #expect(pace.take(limit, patience: patience, at: 0) == turn)
    }

    @Test
    func `a limit that only follows the server has no turns`() {
        var pace = SharedPace()
        #expect((0..<9).allSatisfy { _ in pace.take(.learned, patience: .zero, at: 100) == .now })
    }

    // MARK: - A window

    @Test
    func `the turns of a window come at once, and then when those before them are a period ago`() {
        var pace = SharedPace()
        let limit = RateLimit.window(2, per: .seconds(10))

        let turns = [100, 103, 104, 104, 105].map { pace.take(limit, patience: nil, at: $0) }

        #expect(turns == [.now, .now, .after(.seconds(6)), .after(.seconds(9)), .after(.seconds(15))])
        #expect(pace.take(limit, patience: .seconds(3), at: 120) == .tooLate(.seconds(3)))
        #expect(pace.take(limit, patience: .seconds(4), at: 120) == .after(.seconds(3)))
        #expect([200, 200].map { pace.take(limit, patience: .zero, at: $0) } == [.now, .now])
        #expect(pace.take(limit, patience: .zero, at: 200) == .tooLate(.seconds(10)))
    }

    @Test
    func `a window survives the file, and a clock that was set back`() throws {
        var pace = SharedPace()
        let limit = RateLimit.window(2, per: .seconds(10))
        _ = pace.take(limit, patience: nil, at: 100_000)
        _ = pace.take(limit, patience: nil, at: 100_004)
        pace = try JSONDecoder().decode(SharedPace.self, from: JSONEncoder().encode(pace))

        #expect(pace.take(limit, patience: .zero, at: 100_004) == .tooLate(.seconds(6)))
        #expect(pace.take(limit, patience: .zero, at: 90_000) == .tooLate(.seconds(6)))
        #expect(pace.take(limit, patience: nil, at: 90_000) == .after(.seconds(6)))
    }

    // MARK: - Another limit

    @Test(
        arguments: [
            // A call under a limit of days counts as one call of the next limit, and does not hold up others for days.
            (.count(1, per: .seconds(86_400)), .perSecond(20), 1, .after(.milliseconds(50))),
            (.count(1, per: .seconds(86_400)), .perSecond(20, burst: 2), 1, .now),
            (.perSecond(20), .count(1, per: .seconds(100)), 1, .after(.seconds(100))),
            // Many that wait count as a burst.
            (.perSecond(1), .count(1, per: .seconds(100)), 50, .after(.seconds(100))),
            (
                .count(1, per: .seconds(86_400), burst: 100), .count(1, per: .seconds(86_400)), 100,
                .after(.seconds(86_400))
            ),
            (.perSecond(2), .count(2, per: .seconds(1)), 1, .after(.milliseconds(500))),
            (.window(1, per: .seconds(86_400)), .window(1, per: .seconds(10)), 1, .after(.seconds(10))),
            (.window(1, per: .seconds(86_400)), .window(2, per: .seconds(10)), 1, .now),
            (.window(1, per: .seconds(86_400)), .window(1, per: .seconds(10)), 3, .after(.seconds(10))),
            // One kind of limit knows nothing of the other's turns.
            (.window(1, per: .seconds(86_400)), .perSecond(1), 3, .now),
            (.count(1, per: .seconds(86_400)), .window(1, per: .seconds(10)), 3, .now),
        ] as [(RateLimit, RateLimit, Int, SharedPace.Turn)]
    )
    func `turns of an earlier limit count by the new one`(
        before: RateLimit,
        after: RateLimit,
        calls: Int,
        turn: SharedPace.Turn
    ) throws {
        for now in [0.0, 1_000] {
            var pace = SharedPace()
            for _ in 0..<calls {
                _ = pace.take(before, patience: nil, at: now)
            }
            pace = try JSONDecoder().decode(SharedPace.self, from: JSONEncoder().encode(pace))

            let next = pace.take(after, patience: nil, at: now)

            #expect(next.rounded == turn.rounded)
        }
    }

    /// The part of a file that names the limit by which turns were taken.
    private struct WrittenPace: Decodable {
        struct Terms: Decodable, Equatable {
            let isWindow: Bool
            let interval: Double
            let count: Int
        }

        let terms: Terms
    }

    @Test(
        arguments: [
            (.perSecond(4, burst: 3), false, 0.25, 3), (.window(2, per: .seconds(10)), true, 10, 2),
        ] as [(RateLimit, Bool, Double, Int)]
    )
    func `a file names the limit by which turns were taken`(
        limit: RateLimit,
        isWindow: Bool,
        interval: Double,
        count: Int
    ) throws {
        var pace = SharedPace()
        _ = pace.take(limit, patience: nil, at: 1_000)

        let written = try JSONDecoder().decode(WrittenPace.self, from: JSONEncoder().encode(pace))

        #expect(written.terms == WrittenPace.Terms(isWindow: isWindow, interval: interval, count: count))
    }

    @Test
    func `turns of a limit without an interval count for nothing`() throws {
        let terms = #"{"isWindow": false, "interval": 0, "count": 1}"#
        let json = #"{"due": 2000, "written": 1000, "terms": \#(terms)}"#
        var pace = try JSONDecoder().decode(SharedPace.self, from: Data(json.utf8))

        #expect(pace.take(.perSecond(20), patience: .zero, at: 1_000) == .now)
    }

    @Test
    func `two limits in turns let no more calls begin than the wider one`() {
        var pace = SharedPace()
        let limits = [RateLimit.perSecond(10), .perSecond(20)]

        let begun = (0..<1_000)
            .filter { pace.take(limits[$0 % 2], patience: .zero, at: 1_000 + Double($0) / 100) == .now }

        #expect(begun.count <= 201)
        #expect(begun.count >= 100)
    }

    @Test
    func `a file of an earlier version begins anew`() throws {
        var pace = try JSONDecoder().decode(SharedPace.self, from: Data(#"{"due": 90000, "written": 1000}"#.utf8))

        #expect(pace.take(.perSecond(20), patience: .zero, at: 1_000) == .now)
        #expect(pace.take(.perSecond(20), patience: .zero, at: 1_000) != .now)
    }

    // MARK: - Managers of one directory

    @Test
    func `after a limit of a day a process with another one sends calls at once`() async throws {
        let (directory, clock) = (try TemporaryDirectory(), ManualClock())
        let day = RateLimit.count(1, per: .seconds(86_400)).sharedAcrossProcesses()
        try await Self.client(directory, clock, day).manager.request(Void.self).endpoint("/a").send()
        clock.advance(by: .seconds(1))

        let next = try Self.client(directory, clock, .perSecond(20, burst: 2).sharedAcrossProcesses())
        try await next.manager.request(Void.self).endpoint("/b").send()

        #expect(next.requests.count == 1)
    }

    @Test
    func `a release removes the turns of a server and of its APIs, and no others`() async throws {
        let (directory, clock) = (try TemporaryDirectory(), ManualClock())
        let day = RateLimit.count(1, per: .seconds(86_400)).sharedAcrossProcesses()
        let first = try Self.client(directory, clock, day)
        let key = APIAlias<Void>("own")
        // Its alias begins like that of the other one, and like the name of an API of the other one.
        for name in ["store 1", "store own", "stor"] {
            first.manager.servers[ServerAlias(rawValue: name)] = Server("https://other.example.com").rateLimit(day)
        }
        first.manager.apis[key] = API(.get, "/own", server: "store").rateLimit(day)
        try await first.manager.request(Void.self).server("store").endpoint("/a").send()
        try await first.manager.request(key).send()
        for name in ["store 1", "store own", "stor"] {
            try await first.manager.request(Void.self).server(ServerAlias(rawValue: name)).endpoint("/a").send()
        }

        let second = try Self.client(directory, clock, day)
        second.manager.guards.release("store")

        let names = try Self.names(directory)
        #expect(names.count == 3)
        #expect(!names.contains { $0.hasPrefix("5 store ") })
        try await second.manager.request(Void.self).server("store").endpoint("/a").send()
        #expect(second.requests.count == 1)
        // The first process has its own count of its own call.
        let held = await first.failure { $0.server("store").endpoint("/a") }
        #expect(held?.code == .rateLimitExceeded)
    }

    @Test
    func `a release creates no file, and tells of one that fails`() throws {
        let directory = try TemporaryDirectory()
        let client = try Self.client(directory, ManualClock(), .perSecond(1).sharedAcrossProcesses())
        let log = EventRecorder(client.manager)

        client.manager.guards.release("store")
        #expect(!directory.names.contains("rate-limits.sqlite"))
        #expect(log.count(of: .rateLimitNotShared) == 0)

        try Data(repeating: 7, count: 4_096).write(to: directory.path("rate-limits.sqlite"))
        client.manager.guards.release("store")
        #expect(log.count(of: .rateLimitNotShared) == 1)
    }

    @Test
    func `the turns of servers that nobody calls any more are removed`() async throws {
        let (directory, clock) = (try TemporaryDirectory(), ManualClock())
        let limits: [(ServerAlias, RateLimit)] = [
            ("short", .perSecond(1)), ("month", .count(1, per: .seconds(30 * 86_400))),
            ("window", .window(1, per: .seconds(30 * 86_400))),
        ]
        func client() throws -> StubbedClient {
            let client = try Self.client(directory, clock, .learned)
            for (alias, limit) in limits {
                client.manager.servers[alias] = Server("https://api.example.com")
                    .rateLimit(limit.sharedAcrossProcesses())
            }
            return client
        }
        let first = try client()
        for (alias, _) in limits {
            try await first.manager.request(Void.self).server(alias).endpoint("/a").send()
        }
        #expect(try Self.names(directory).count == 3)

        clock.advance(by: .seconds(8 * 86_400))
        let second = try client()
        try await second.manager.request(Void.self).server("short").endpoint("/a").send()
        for alias in ["month", "window"] as [ServerAlias] {
            let error = await second.failure { $0.server(alias).endpoint("/a") }
            #expect(error?.code == .rateLimitExceeded)
        }

        clock.advance(by: .seconds(100 * 86_400))
        try await client().manager.request(Void.self).server("month").endpoint("/a").send()
        #expect(try Self.names(directory) == ["5 month "])
    }

    /// The names of the rows, also of those whose time is over.
    private static func names(_ directory: TemporaryDirectory) throws -> [String] {
        var configuration = SharedData.Configuration()
        configuration.now = { Date(timeIntervalSince1970: 0) }
        return try SharedData(file: directory.path("rate-limits.sqlite"), configuration: configuration).names()
    }

    @Test
    func `the calls of two managers together stay within a window`() async throws {
        let (directory, clock) = (try TemporaryDirectory(), ManualClock())
        let limit = RateLimit.window(2, per: .seconds(60)).sharedAcrossProcesses()
        let (first, second) = (try Self.client(directory, clock, limit), try Self.client(directory, clock, limit))
        try await first.manager.request(Void.self).endpoint("/a").send()
        clock.advance(by: .seconds(50))
        try await second.manager.request(Void.self).endpoint("/a").send()

        let error = await first.failure { $0.server("store").endpoint("/b").timeout(.seconds(9)) }
        #expect(error?.code == .rateLimitExceeded)
        let held = Task { try await second.manager.request(Void.self).endpoint("/b").timeout(.seconds(20)).send() }
        try await clock.waitForSleeper(for: .seconds(10))
        #expect(second.requests.count == 1)
        clock.advance(by: .seconds(10))
        try await held.value
        #expect(second.requests.count == 2)
    }

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

extension SharedPace.Turn {
    /// The turn in whole microseconds.
    fileprivate var rounded: SharedPace.Turn {
        func rounded(_ wait: Duration) -> Duration { .microseconds((wait.timeInterval * 1e6).rounded()) }
        return switch self {
        case .now: .now
        case .after(let wait): .after(rounded(wait))
        case .tooLate(let wait): .tooLate(rounded(wait))
        }
    }
}
