// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ManualClockTests {
    @Test
    func `the clock advances only on demand, and never backwards`() {
        let clock = ManualClock()
        let start = clock.now
        #expect(start.offset == .zero)

        clock.advance(by: .seconds(3))
        #expect(start.duration(to: clock.now) == .seconds(3))

        clock.advance(by: .seconds(-1))
        clock.advance(to: start)
        #expect(clock.now.offset == .seconds(3))
    }

    @Test
    func `a sleeper wakes when its deadline has come, not before`() async throws {
        let clock = ManualClock()
        let woken = Recorder<Duration>()
        let task = Task {
            try await clock.sleep(for: .seconds(2))
            woken.record(clock.now.offset)
        }
        try await clock.waitForSleepers(count: 1)
        #expect(clock.deadlines.map(\.offset) == [.seconds(2)])

        clock.advance(by: .milliseconds(1_999))
        #expect(clock.deadlines.count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(clock.deadlines.isEmpty)

        try await task.value
        #expect(woken.elements == [.seconds(2)])
    }

    @Test
    func `a deadline in the past returns at once`() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(1)))
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
    }

    @Test
    func `moving on deadline by deadline wakes sleepers in order`() async throws {
        let clock = ManualClock()
        let woken = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (arrival, seconds) in [3, 1, 2].enumerated() {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    woken.record(seconds)
                }
                try await clock.waitForSleepers(count: arrival + 1)
            }
            for count in 1...3 {
                #expect(clock.advanceToNextDeadline())
                try await woken.waitForCount(count)
            }
        }
        #expect(woken.elements == [1, 2, 3])
        #expect(clock.now.offset == .seconds(3))
        #expect(!clock.advanceToNextDeadline())
    }

    @Test
    func `one advance resumes all sleepers that are due and leaves the others`() async throws {
        let clock = ManualClock()
        let due = [1, 1, 2].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        let later = Task { try await clock.sleep(for: .seconds(9)) }
        try await clock.waitForSleepers(count: 4)

        clock.advance(by: .seconds(5))

        for task in due {
            try await task.value
        }
        #expect(clock.deadlines.count == 1)
        later.cancel()
        await #expect(throws: CancellationError.self) { try await later.value }
        #expect(clock.deadlines.isEmpty)
    }

    @Test
    func `a cancelled sleeper leaves, before, while and after it sleeps`() async throws {
        let clock = ManualClock()
        let before = Task {
            await untilCancelled()
            try await clock.sleep(for: .seconds(1))
        }
        before.cancel()
        await #expect(throws: CancellationError.self) { try await before.value }

        let meanwhile = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(count: 1)
        meanwhile.cancel()
        await #expect(throws: CancellationError.self) { try await meanwhile.value }
        #expect(clock.deadlines.isEmpty)

        let after = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        try await after.value
        after.cancel()
    }

    @Test
    func `the clock serves code that takes any clock`() async throws {
        func twice(on clock: some Clock<Duration>) async throws {
            try await clock.sleep(for: .seconds(1))
            try await clock.sleep(for: .seconds(1))
        }
        let clock = ManualClock()
        let task = Task { try await twice(on: clock) }
        for _ in 1...2 {
            try await clock.waitForSleepers(count: 1)
            clock.advance(by: .seconds(1))
        }
        try await task.value
    }
}
