// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct NotificationPostingTests {
    private let manager = StubbedClient(answering: .text("1")).manager

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    private func observe(
        _ center: NotificationCenter,
        _ recorder: Recorder<String>
    ) -> NotificationCenter.ObservationToken {
        center.addObserver(of: manager, for: ClientEventMessage.self) { message in
            recorder.record(message.event.line)
        }
    }

    @Test
    func `events are posted as typed messages while a center is set`() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return
        }
        let center = NotificationCenter()
        let recorder = Recorder<String>()
        let token = observe(center, recorder)
        #expect(manager.notificationCenter == nil)
        manager.emit("before")

        manager.notificationCenter = center
        _ = try await manager.request(Int.self).endpoint("/a").send()
        try await recorder.waitForCount(5)
        manager.notificationCenter = nil
        manager.emit("after")

        #expect(
            recorder.elements.sorted() == [
                "attemptFinished 1 200", "attemptStarted 1", "callStarted", "callSucceeded 200 network",
                "modelLoaded",
            ]
        )
        center.removeObserver(token)
    }

    @Test
    func `a center that replaces another one is the only one to receive events`() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return
        }
        let (old, new) = (NotificationCenter(), NotificationCenter())
        let (oldRecorder, newRecorder) = (Recorder<String>(), Recorder<String>())
        let tokens = [observe(old, oldRecorder), observe(new, newRecorder)]
        manager.notificationCenter = old
        manager.notificationCenter = new
        manager.emit("event")
        try await newRecorder.waitForCount(1)
        #expect(oldRecorder.count == 0)
        #expect(manager.notificationCenter === new)
        manager.notificationCenter = nil
        #expect(!manager.core.hub.isObserved)
        withExtendedLifetime(tokens) {}
    }
}
