// SPDX-License-Identifier: MIT

import Foundation
import HTTPTypes
import JobGraphs
import RestClientFoundation
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// Classic notifications, which carry an event in a dictionary.
@Suite
struct NotificationContentTests {
    private struct Broken: Error {}

    /// One event of each kind, with its keys beyond those of all events.
    private static let kinds: [(ClientEvent.Kind, [String: String])] = [
        (.callStarted, [:]), (.callQueued, [:]), (.callCancelled, [:]), (.notModified, [:]), (.cacheRevalidated, [:]),
        (.tokenRefreshed, [:]), (.cacheStored, [:]), (.cacheRemoved, [:]), (.cacheInvalidated, [:]), (.callShared, [:]),
        (.dummyUnmatched, [:]), (.surplusReceived, [:]),
        (.callHedged(after: .seconds(1)), ["delay": "1.0 seconds"]),
        (
            .callFellBack(to: "cache", RestClientError(.timeout, "late")),
            ["source": "cache", "error": "timeout: late", "failureClass": "timeout"]
        ),
        (.callHeldBack(server: "store"), ["server": "store"]),
        (
            .rateLimitNotShared(server: "store", StoreError(.closed, "gone")),
            ["server": "store", "error": "\(StoreError(.closed, "gone"))"]
        ),
        (.circuitChanged(server: "store", .open), ["server": "store", "circuit": "open"]),
        (.reachabilityChanged(server: "store", .reachable), ["server": "store", "reachability": "reachable"]),
        (.attemptStarted(number: 2), ["attempt": "2"]),
        (.attemptFinished(number: 2, status: .ok), ["attempt": "2", "status": "200"]),
        (
            .attemptFailed(number: 2, CancellationError()),
            ["attempt": "2", "error": "CancellationError()", "failureClass": "cancelled"]
        ),
        (.redirected(url: "https://a"), ["redirectURL": "https://a"]),
        (
            .retryDecided(number: 2, delay: .seconds(1), CancellationError()),
            ["attempt": "2", "delay": "1.0 seconds", "error": "CancellationError()", "failureClass": "cancelled"]
        ),
        (
            .retrySuppressed(.attemptsExhausted, CancellationError()),
            ["reason": "attemptsExhausted", "error": "CancellationError()", "failureClass": "cancelled"]
        ),
        (.modelLoaded(7, source: .dummy), ["model": "7", "source": "dummy"]),
        (
            .callSucceeded(status: .ok, source: .network, duration: .seconds(2)),
            ["status": "200", "source": "network", "duration": "2.0 seconds"]
        ),
        (
            .callFailed(RestClientError(.unacceptableStatus, "no", response: .status(.notFound))),
            ["error": "unacceptableStatus: no", "failureClass": "status", "status": "404"]
        ),
        (.cacheHit(age: .seconds(3)), ["age": "3.0 seconds"]), (.cacheStale(age: .seconds(3)), ["age": "3.0 seconds"]),
        (.cacheMiss(.absent), ["reason": "absent"]),
        (.cacheFailed(StoreError(.closed, "gone")), ["error": "\(StoreError(.closed, "gone"))"]),
        (.localJobStarted(name: "a"), ["jobName": "a"]), (.localJobSucceeded(name: "a"), ["jobName": "a"]),
        (.localJobCancelled(name: "a"), ["jobName": "a"]),
        (
            .localJobFailed(name: "a", CancellationError()),
            ["jobName": "a", "error": "CancellationError()", "failureClass": "cancelled"]
        ),
        (.groupStarted(count: 3), ["jobCount": "3"]),
        (
            .groupFinished(GroupReport(id: GroupID(), outcomes: [.notRun])),
            ["isStopped": "true", "outcomes": "\([JobOutcome<any Sendable>.notRun])"]
        ),
        (.graphStarted(name: "g", count: 3), ["graphName": "g", "jobCount": "3"]),
        (.nodeStarted(name: "n"), ["nodeName": "n"]),
        (.nodeFinished(name: "n", status: .skipped), ["nodeName": "n", "nodeStatus": "skipped"]),
        (
            .progressed(CallProgress(.sent, TransferProgress(completed: 3, total: 7))),
            ["direction": "sent", "completedBytes": "3", "totalBytes": "7"]
        ),
        (.webSocketOpened(subprotocol: "chat"), ["subprotocol": "chat"]),
        (
            .webSocketMessage(.sent, bytes: 5, number: 2),
            ["direction": "sent", "messageBytes": "5", "messageNumber": "2"]
        ),
        (.webSocketClosed(code: 1000, isByServer: true), ["closeCode": "1000", "isByServer": "true"]),
        (
            .webSocketReconnecting(delay: .seconds(3), CancellationError()),
            ["delay": "3.0 seconds", "error": "CancellationError()", "failureClass": "cancelled"]
        ),
        (.sharedDataUpdated(key: "k"), ["sharedDataKey": "k"]), (.sharedDataRemoved(key: "k"), ["sharedDataKey": "k"]),
        (.custom(identifier: "c", payload: [:]), ["customIdentifier": "c", "payload": "[:]"]),
    ]

    /// The content of classic notifications.
    private func notes(of act: (RestClientManager) async throws -> Void) async rethrows -> [[String: String]] {
        let client = StubbedClient(answering: .text("1"))
        let (center, recorder) = (NotificationCenter(), Recorder<[String: String]>())
        let posting = client.manager.postNotifications(to: center)
        let observer = center.addObserver(forName: .restClientEvent, object: client.manager, queue: nil) { note in
            var texts: [String: String] = [:]
            for (key, value) in note.userInfo ?? [:] {
                texts["\(key)"] = "\(value)"
            }
            recorder.record(texts)
        }
        try await act(client.manager)
        posting.cancel()
        center.removeObserver(observer)
        return recorder.elements
    }

    @Test(arguments: kinds.indices)
    func `each kind has its documented keys`(index: Int) async throws {
        let (kind, expected) = Self.kinds[index]
        let notes = await notes { $0.core.hub.emit(ClientEvent(kind)) }
        var note = try #require(notes.first)
        #expect(note.removeValue(forKey: "kind") == kind.name.rawValue)
        #expect(note.removeValue(forKey: "event") != nil)
        #expect(note.removeValue(forKey: "time") != nil)
        #expect(note == expected)
    }

    @Test
    func `the article lists every key`() throws {
        let top = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let article = "Sources/RestClientFoundation/RestClientFoundation.docc/RestClientFoundation.md"
        let rows = try String(contentsOf: top.appending(path: article), encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count > 20)
        #expect(EventDetail.Key.allCases.filter { key in !rows.contains { $0.contains("`\(key)`") } }.isEmpty)
    }

    @Test
    func `every kind is in the table above`() async throws {
        // A dummy's identifier is made by its registry only, and the run of a graph by its engine.
        let missing = Set(ClientEvent.Name.allCases).subtracting(Self.kinds.map { $0.0.name })
        #expect(missing == [.dummyMatched, .graphFinished])
        let notes = await notes { manager in
            manager.dummies.mode = .strict
            let dummy = manager.dummies.register(.get, "/a") { _ in .text("1") }
            _ = try? await manager.request(Int.self).endpoint("/a").send()
            #expect(dummy.callCount == 1)
        }
        #expect(notes.contains { $0["kind"] == "dummyMatched" && $0["dummy"] != nil })
    }

    @Test
    func `the end of a graph has its documented keys, with the result of each node`() async throws {
        let notes = try await notes { manager in
            var graph = JobGraph("g")
            let number = graph.local("number") { 7 }
            graph.local("broken", after: number) { _ throws -> Int in throw Broken() }
            _ = try await manager.run(graph)
        }
        let end = try #require(notes.first { $0["kind"] == "graphFinished" })
        #expect(end["graphName"] == "g")
        #expect(end["isSuccess"] == "false")
        let outcomes: [JobOutcome<any Sendable>] = [.success(7), .failure(Broken())]
        #expect(end["outcomes"] == "\(outcomes)")
    }

    @Test
    func `a notification names the call and its request, with secrets masked`() async throws {
        let notes = try await notes { manager in
            manager.apis["numbers" as APIAlias<Int>] = API(.put, "/n/{id}")
            _ = try await manager.request("numbers" as APIAlias<Int>).parameter("id", 7).query(["token": "s3cret"])
                .callIdentifier("mine").send()
        }
        #expect(notes.compactMap { $0["kind"] }.first == "callStarted")
        #expect(notes.compactMap { $0["kind"] }.last == "callSucceeded")
        for note in notes {
            #expect(note["api"] == "numbers")
            #expect(note["server"] == "store")
            #expect(note["endpoint"] == "/n/{id}")
            #expect(note["method"] == "PUT")
            #expect(note["url"] == "https://api.example.com/v1/n/7?token=<redacted>")
            #expect(note["callIdentifier"] == "mine")
            #expect(note["callID"] != nil)
            #expect(!note.values.contains { $0.contains("s3cret") })
        }
    }
}
