// SPDX-License-Identifier: MIT

import SharedStore
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct EventHubTests {
    private let manager = StubbedClient().manager
    private let recorder = Recorder<String>()

    @Test
    func `an event without observers is not created`() {
        let hub = EventHub()
        let made = Counter()
        func event() -> ClientEvent {
            made.next()
            return ClientEvent(.callStarted)
        }
        hub.emit(event())
        #expect(made.value == 0)
        #expect(!hub.isObserved)
        let observer = hub.add { _ in }
        hub.emit(event())
        #expect(made.value == 1)
        hub.remove(observer)
        hub.emit(event())
        #expect(made.value == 1)
    }

    @Test
    func `all observers are given all events in one order`() {
        let recorder = recorder
        let first = manager.observe { recorder.record("first \($0.line)") }
        let second = manager.observe { recorder.record("second \($0.line)") }
        manager.emit("a")
        manager.emit("b")
        #expect(
            recorder.elements == ["first custom a", "second custom a", "first custom b", "second custom b"]
        )
        first.cancel()
        second.cancel()
    }

    @Test
    func `observers of events from many tasks see the same order`() async {
        let (left, right) = (Recorder<String>(), Recorder<String>())
        let observations = [manager.observe { left.record($0.line) }, manager.observe { right.record($0.line) }]
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask { [manager] in manager.emit("\(number)") }
            }
        }
        _ = try? await left.waitForCount(500)
        _ = try? await right.waitForCount(500)
        #expect(left.elements == right.elements)
        #expect(Set(left.elements).count == 500)
        withExtendedLifetime(observations) {}
    }

    @Test
    func `an observer may call back into the manager, and its events come after the current one`() {
        let recorder = recorder
        let (manager, answered) = (manager, Counter())
        let first = manager.observe { event in
            recorder.record("first \(event.line)")
            if answered.next() == 1 {
                manager.servers["new"] = "example.com"
                manager.workers.size = 3
                manager.emit("answer")
            }
        }
        let second = manager.observe { recorder.record("second \($0.line)") }
        manager.emit("question")
        #expect(
            recorder.elements == [
                "first custom question", "second custom question", "first custom answer", "second custom answer",
            ]
        )
        #expect(manager.servers["new"] != nil)
        withExtendedLifetime((first, second)) {}
    }

    @Test
    func `an observer may add and remove observers`() {
        let recorder = recorder
        let manager = manager
        let added = Recorder<ObservationToken>()
        let outer = manager.observe { event in
            recorder.record("outer \(event.line)")
            if added.count == 0 {
                added.record(manager.observe { recorder.record("inner \($0.line)") })
            } else {
                added.elements.first?.cancel()
            }
        }
        manager.emit("1")
        manager.emit("2")
        manager.emit("3")
        // The inner one was not there for the first event, and was cancelled before its turn at the second.
        #expect(recorder.elements == ["outer custom 1", "outer custom 2", "outer custom 3"])
        withExtendedLifetime(outer) {}
    }

    @Test
    func `an observation ends when it is released`() {
        let recorder = recorder
        var observation: ObservationToken? = manager.observe { recorder.record($0.line) }
        manager.emit("heard")
        withExtendedLifetime(observation) {}
        observation = nil
        manager.emit("unheard")
        #expect(recorder.elements == ["custom heard"])
        #expect(!manager.core.hub.isObserved)
    }

    @Test
    func `an observation ends when it is cancelled, and cancelling again does nothing`() {
        let recorder = recorder
        let observation = manager.observe { recorder.record($0.line) }
        observation.cancel()
        observation.cancel()
        manager.emit("unheard")
        #expect(recorder.elements.isEmpty)
    }

    // MARK: - Around it

    @Test
    func `a custom event carries its payload`() {
        let payloads = Recorder<[String: JSONValue]>()
        let observation = manager.observe { event in
            if case .custom("synced", let payload) = event.kind {
                payloads.record(payload)
            }
            #expect(event.callID == nil)
            #expect(event.request == nil)
            #expect(!event.isTerminal)
        }
        manager.emit("synced", payload: ["count": 3])
        #expect(payloads.elements == [["count": 3]])
        withExtendedLifetime(observation) {}
    }

    @Test
    func `changes of shared data are events`() throws {
        let log = EventRecorder(manager)
        let user = SharedKey<String>("user")
        try manager.sharedData.set("kim", for: user)
        try manager.sharedData.remove(user)
        #expect(log.lines == ["sharedDataUpdated user", "sharedDataRemoved user"])
    }

    @Test
    func `a manager is released even if it had observers`() {
        weak var freed: RestClientManager?
        let recorder = recorder
        do {
            let manager = StubbedClient().manager
            freed = manager
            let observation = manager.observe { recorder.record($0.line) }
            manager.emit("1")
            withExtendedLifetime(observation) {}
        }
        #expect(freed == nil)
    }
}
