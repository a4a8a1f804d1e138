// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct ClientEventsTests {
    private let manager = StubbedClient().manager
    private let recorder = Recorder<String>()

    @Test
    func `a sequence delivers all events in order from its creation on`() async {
        manager.emit("before")
        let events = manager.events
        manager.emit("1")
        var reader = events.makeAsyncIterator()
        manager.emit("2")
        #expect(await reader.next()?.line == "custom 1")
        #expect(await reader.next()?.line == "custom 2")
        #expect(events.droppedCount == 0)
    }

    @Test
    func `a sequence gives what its filter lets pass`() async {
        var reader = manager.events(.names(.groupFinished)).makeAsyncIterator()
        manager.emit("1")
        _ = await manager.serially([])
        #expect(await reader.next()?.line == "groupFinished")
    }

    @Test
    func `a sequence that is released listens no more`() async {
        do {
            var reader = manager.events.makeAsyncIterator()
            manager.emit("1")
            _ = await reader.next()
            #expect(manager.core.hub.isObserved)
        }
        #expect(!manager.core.hub.isObserved)
    }

    // MARK: - Room

    @Test
    func `a slow reader loses the oldest events beyond its buffer, and they are counted`() async {
        let events = manager.events(.all, buffering: .newest(2))
        for number in 1...5 {
            manager.emit("\(number)")
        }
        #expect(events.droppedCount == 3)
        var reader = events.makeAsyncIterator()
        #expect(await reader.next()?.line == "custom 4")
        #expect(await reader.next()?.line == "custom 5")
        manager.emit("6")
        #expect(await reader.next()?.line == "custom 6")
        #expect(events.droppedCount == 3)
    }

    @Test
    func `a buffer of the oldest drops new events until there is room`() async {
        let events = manager.events(.all, buffering: .oldest(2))
        for number in 1...3 {
            manager.emit("\(number)")
        }
        var reader = events.makeAsyncIterator()
        #expect(await reader.next()?.line == "custom 1")
        manager.emit("4")
        #expect(await reader.next()?.line == "custom 2")
        #expect(await reader.next()?.line == "custom 4")
        #expect(events.droppedCount == 1)
    }

    @Test(arguments: [0, -1, Int.min])
    func `a buffer of size zero holds one event, and does not trap`(limit: Int) async {
        var reader = manager.events(.all, buffering: .newest(limit)).makeAsyncIterator()
        manager.emit("1")
        manager.emit("2")
        #expect(await reader.next()?.line == "custom 2")
    }

    @Test
    func `the events property keeps 1024 events`() async {
        let events = manager.events
        for number in 1...1_030 {
            manager.emit("\(number)")
        }
        #expect(events.droppedCount == 6)
        var reader = events.makeAsyncIterator()
        #expect(await reader.next()?.line == "custom 7")
    }

    // MARK: - The end

    @Test
    func `a sequence ends for a cancelled task`() async throws {
        let (manager, recorder) = (manager, recorder)
        let reading = Task {
            let events = manager.events
            recorder.record("begin")
            for await event in events {
                recorder.record(event.line)
            }
            recorder.record("end")
        }
        try await recorder.waitForCount(1)
        manager.emit("1")
        try await recorder.waitForCount(2)
        reading.cancel()
        await reading.value
        #expect(recorder.elements == ["begin", "custom 1", "end"])
        #expect(!manager.core.hub.isObserved)
    }

    @Test
    func `a task that is cancelled already reads nothing`() async {
        let events = manager.events
        manager.emit("1")
        let start = Gate()
        let reading = Task {
            try? await start.wait()
            var reader = events.makeAsyncIterator()
            return await reader.next()?.line
        }
        reading.cancel()
        #expect(await reading.value == nil)
    }

    @Test
    func `a sequence ends with its manager, after its unread events`() async throws {
        var client: StubbedClient? = StubbedClient()
        let events = try #require(client?.manager.events)
        client?.manager.emit("1")
        client = nil
        var lines: [String] = []
        for await event in events {
            lines.append(event.line)
        }
        #expect(lines == ["custom 1"])
    }

    @Test
    func `a waiting reader is resumed when its manager is released`() async throws {
        var client: StubbedClient? = StubbedClient()
        let (events, recorder) = (try #require(client?.manager.events), recorder)
        let reading = Task {
            for await event in events {
                recorder.record(event.line)
            }
        }
        client?.manager.emit("1")
        try await recorder.waitForCount(1)
        client = nil
        await reading.value
        #expect(recorder.elements == ["custom 1"])
    }

    @Test
    func `several readers share the events of one sequence`() async throws {
        let (events, recorder) = (manager.events, recorder)
        let readers = (0..<4)
            .map { _ in
                Task {
                    for await event in events {
                        recorder.record(event.line)
                    }
                }
            }
        for number in 0..<200 {
            manager.emit("\(number)")
        }
        try await recorder.waitForCount(200)
        for reader in readers {
            reader.cancel()
            await reader.value
        }
        #expect(Set(recorder.elements) == Set((0..<200).map { "custom \($0)" }))
        #expect(recorder.count == 200)
    }

    @Test
    func `readers that give up while events come lose none of them`() async throws {
        let (events, recorder) = (manager.events, recorder)
        for number in 0..<300 {
            let reader = Task {
                var reader = events.makeAsyncIterator()
                if let event = await reader.next() {
                    recorder.record(event.line)
                }
            }
            let emitter = Task { [manager] in manager.emit("\(number)") }
            reader.cancel()
            await reader.value
            await emitter.value
        }
        var reader = events.makeAsyncIterator()
        while recorder.count < 300, let event = await reader.next() {
            recorder.record(event.line)
        }
        #expect(recorder.elements == (0..<300).map { "custom \($0)" })
    }
}
