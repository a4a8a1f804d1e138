// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct EventStateMachineTests {
    private final class Listener {}

    private func expect(_ hub: inout EventHubStateMachine<Int, Listener>, next expected: Int?) {
        let next = hub.next()
        #expect(next?.event == expected)
    }

    @Test
    func `one delivers at a time, until nothing is left`() {
        var hub = EventHubStateMachine<Int, Listener>()
        let isHeard = hub.enqueue(0)
        #expect(!isHeard, "nobody listens")
        let listener = Listener()
        hub.add(listener)
        let turns = (hub.enqueue(1), hub.enqueue(2))
        #expect(turns == (true, false), "the second has a deliverer already")
        #expect(hub.queuedCount == 2)
        expect(&hub, next: 1)
        let isLate = hub.enqueue(3)
        #expect(!isLate, "the deliverer has not ended yet")
        expect(&hub, next: 2)
        expect(&hub, next: 3)
        expect(&hub, next: nil)
        let isNew = hub.enqueue(4)
        #expect(isNew)
        hub.remove(listener)
        let last = hub.next()
        #expect(last?.observers.count == 1, "queued for those who listened then")
        expect(&hub, next: nil)
        let isGone = hub.enqueue(5)
        #expect(!isGone)
    }

    @Test
    func `a buffer hands events to waiting readers first come, first served`() {
        var buffer = EventBufferStateMachine<Int>(buffering: .newest(2))
        guard case .wait(let first) = buffer.read(), case .wait(let second) = buffer.read(),
            case .wait(let third) = buffer.read()
        else {
            Issue.record("an empty buffer makes readers wait")
            return
        }
        let cancellations = (buffer.cancel(second), buffer.cancel(second))
        #expect(cancellations == (true, false))
        let (served, isServedCancelled) = (buffer.offer(1), buffer.cancel(first))
        #expect(served == first)
        #expect(!isServedCancelled)
        let (woken, late) = (buffer.end(), buffer.offer(2))
        #expect(woken == [third])
        #expect(late == nil)
        guard case .ended = buffer.read() else {
            Issue.record("an ended buffer makes nobody wait")
            return
        }
        #expect(buffer.droppedCount == 0)
    }

    @Test
    func `an ended buffer still gives what it holds`() {
        var buffer = EventBufferStateMachine<Int>(buffering: .newest(2))
        let (reader, woken) = (buffer.offer(1), buffer.end())
        #expect(reader == nil)
        #expect(woken == [])
        guard case .event(1) = buffer.read(), case .ended = buffer.read() else {
            Issue.record("what was taken in was not given, or the end did not come")
            return
        }
    }
}
