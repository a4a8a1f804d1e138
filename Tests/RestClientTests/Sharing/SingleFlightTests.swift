// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct SingleFlightTests {
    private typealias Flights = SingleFlight<String, Int, String>

    private struct Failure: Error {}

    private static func ignore(_ event: Int) {}

    @Test
    func `a hundred callers at once make one run, and one of them has the duty to release it`() async throws {
        let flights = Flights()
        let gate = Gate()
        let runs = Counter()
        try await withThrowingTaskGroup(of: Flights.Shared?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await flights.run("key", relay: Self.ignore) { _ in
                        runs.next()
                        try await gate.wait()
                        return "value"
                    }
                }
            }
            await flights.waitForWaiters(count: 100)
            gate.open()
            var holds: [ReleaseOnce] = []
            for try await shared in group {
                #expect(shared?.value == "value")
                if let hold = shared?.duty { holds.append(hold) }
            }
            #expect(holds.count == 1)
            withExtendedLifetime(holds) { #expect(flights.counts.flights == 1) }
        }
        // The discarded value has released the flight.
        #expect(runs.value == 1)
        #expect(flights.counts.flights == 0)
    }

    @Test
    func `a caller that leaves ends only its own wait, also when it was the first`() async throws {
        let flights = Flights()
        let gate = Gate()
        let cancelled = Counter()
        let run: @Sendable () async throws -> String? = {
            try await flights.run("key", relay: Self.ignore) { _ in
                do { try await gate.wait() } catch { cancelled.next() }
                return "value"
            }?
            .value
        }
        let first = Task { try await run() }
        await flights.waitForWaiters(count: 1)
        let second = Task { try await run() }
        await flights.waitForWaiters(count: 2)

        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()

        #expect(try await second.value == "value")
        #expect(cancelled.value == 0)
    }

    @Test
    func `the run is cancelled when the last caller leaves`() async throws {
        let flights = Flights()
        let gate = Gate()
        let ended = Gate()
        let callers = (0..<3)
            .map { _ in
                Task {
                    try await flights.run("key", relay: Self.ignore) { _ in
                        defer { ended.open() }
                        try await gate.wait()
                        return "never"
                    }
                }
            }
        await flights.waitForWaiters(count: 3)
        for caller in callers { caller.cancel() }

        try await ended.wait()
        for caller in callers {
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        #expect(flights.counts == (0, 0))
    }

    @Test
    func `the one who has been in it longest hears of what happens`() async throws {
        let flights = Flights()
        let gate = Gate()
        let heard = Mutex<[String]>([])
        let run: @Sendable (String) async throws -> String? = { name in
            let relay: (Int) -> Void = { event in heard.withLock { $0.append("\(name) \(event)") } }
            return
                try await flights.run("key", relay: relay) { tell in
                    tell(1)
                    try await gate.wait()
                    tell(2)
                    return "value"
                }?
                .value
        }
        let first = Task { try await run("first") }
        await flights.waitForWaiters(count: 1)
        let second = Task { try await run("second") }
        await flights.waitForWaiters(count: 2)
        // The work has told of the first event.
        try await gate.waitForWaiters(count: 1)
        first.cancel()
        _ = await first.result
        gate.open()

        #expect(try await second.value == "value")
        #expect(heard.withLock { $0 } == ["first 1", "second 2"])
    }

    @Test
    func `a failure reaches all callers, and the next caller starts again`() async throws {
        let flights = Flights()
        let gate = Gate()
        let callers = (0..<2)
            .map { _ in
                Task {
                    try await flights.run("key", relay: Self.ignore) { _ in
                        try await gate.wait()
                        throw Failure()
                    }
                }
            }
        await flights.waitForWaiters(count: 2)
        gate.open()
        for caller in callers {
            await #expect(throws: Failure.self) { try await caller.value }
        }

        #expect(try await flights.run("key", relay: Self.ignore) { _ in "value" }?.value == "value")
    }

    @Test
    func `a cancelled task begins nothing`() async {
        let flights = Flights()
        let gate = Gate()
        let caller = Task {
            try? await gate.wait()
            return try await flights.run("key", relay: Self.ignore) { _ in "never" }?.value
        }
        caller.cancel()

        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(flights.counts == (0, 0))
    }

    /// Does something when nobody needs it any more.
    private final class Parting: Sendable {
        private let part: @Sendable () -> Void

        init(_ part: @escaping @Sendable () -> Void) {
            self.part = part
        }

        deinit {
            part()
        }
    }

    @Test
    func `a value that ends with its flight may use the flights`() async throws {
        let flights = SingleFlight<String, Int, Parting>()
        let seen = Recorder<Int>()
        var hold: ReleaseOnce?
        do {
            let shared = try await flights.run("key", relay: Self.ignore) { _ in
                Parting { seen.record(flights.counts.flights) }
            }
            hold = shared?.duty
        }
        #expect(seen.elements == [])
        hold?.release()

        // The task of the flight may hold the value a moment longer.
        #expect(try await seen.waitForCount(1) == [0])
    }

    @Test
    func `callers that come and go at random never wait for ever`() async {
        let flights = Flights()
        let runs = Counter()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let caller = Task {
                        try await flights.run("key \(index % 7)", relay: Self.ignore) { tell in
                            runs.next()
                            tell(index)
                            await Task.yield()
                            if index % 5 == 0 { throw Failure() }
                            return "value"
                        }?
                        .value
                    }
                    if index % 3 == 0 { caller.cancel() }
                    _ = await caller.result
                }
            }
        }
        #expect(runs.value > 0)
        #expect(flights.counts == (0, 0))
    }
}
