// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RecorderTests {
    @Test
    func `elements stay in their order and can be forgotten`() {
        let recorder = Recorder<String>()
        recorder.record("a")
        recorder.record("b")
        #expect(recorder.elements == ["a", "b"])
        #expect(recorder.count == 2)
        #expect(recorder.removeAll() == ["a", "b"])
        #expect(recorder.elements.isEmpty)
    }

    @Test
    func `a waiter gets everything once as many have come`() async throws {
        let recorder = Recorder<Int>()
        recorder.record(1)
        async let waited = recorder.waitForCount(3)
        recorder.record(2)
        recorder.record(3)
        #expect(try await waited == [1, 2, 3])
        #expect(try await recorder.waitForCount(2) == [1, 2, 3])
    }

    @Test
    func `a waiter gets the oldest matching element, already recorded or not`() async throws {
        let recorder = Recorder<Int>()
        recorder.record(1)
        async let even = recorder.waitForElement { element in element.isMultiple(of: 2) }
        recorder.record(4)
        recorder.record(6)
        #expect(try await even == 4)
        #expect(try await recorder.waitForElement { element in element > 4 } == 6)
    }

    @Test
    func `waiting can be cancelled`() async {
        let recorder = Recorder<Int>()
        let task = Task { try await recorder.waitForCount(1) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        recorder.record(1)
    }

    @Test
    func `nothing is lost when many record at a time`() async throws {
        let recorder = Recorder<Int>()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<250 {
                        recorder.record(task * 250 + number)
                    }
                }
            }
        }
        #expect(Set(try await recorder.waitForCount(2_000)) == Set(0..<2_000))
    }
}
