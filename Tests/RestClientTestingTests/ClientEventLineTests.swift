// SPDX-License-Identifier: MIT

import SharedStore
import TestSupport
import Testing

@testable import RestClient

@Suite struct ClientEventLineTests {
    private struct Broken: Error {}

    @Test(
        arguments: [
            (.callStarted, "callStarted"), (.callCancelled, "callCancelled"), (.notModified, "notModified"),
            (.attemptStarted(number: 2), "attemptStarted 2"),
            (.attemptFinished(number: 2, status: .notFound), "attemptFinished 2 404"),
            (.attemptFailed(number: 2, CancellationError()), "attemptFailed 2 cancelled"),
            (.redirected(url: "https://a/b"), "redirected https://a/b"),
            (.retryDecided(number: 3, delay: .seconds(7), RestClientError(.timeout, "late")), "retryDecided 3 timeout"),
            (
                .retrySuppressed(.attemptsExhausted, RestClientError(.timeout, "late")),
                "retrySuppressed attemptsExhausted timeout"
            ),
            (.modelLoaded("secret", source: .dummy), "modelLoaded"),
            (
                .callSucceeded(status: .ok, source: .cache(age: .seconds(9)), duration: .seconds(5)),
                "callSucceeded 200 cache"
            ),
            (.callFailed(Broken()), "callFailed Broken()"),
            (.cacheHit(age: .milliseconds(90_999)), "cacheHit 90"), (.cacheStale(age: .zero), "cacheStale 0"),
            (.cacheMiss(.absent), "cacheMiss absent"),
            (.cacheFailed(StoreError(.closed, "gone")), "cacheFailed closed"),
            (.dummyUnmatched, "dummyUnmatched"),
            (.localJobFailed(name: "a", RestClientError(.notCached, "no")), "localJobFailed a notCached"),
            (.localJobCancelled(name: "a"), "localJobCancelled a"),
            (.groupFinished(GroupReport(id: GroupID(), outcomes: [.success(1)])), "groupFinished"),
            (.groupFinished(GroupReport(id: GroupID(), outcomes: [.notRun])), "groupFinished stopped"),
            (.graphStarted(name: "g", count: 3), "graphStarted g 3"), (.nodeStarted(name: "n"), "nodeStarted n"),
            (.nodeFinished(name: "n", status: .skipped), "nodeFinished n skipped"),
            (.sharedDataRemoved(key: "k"), "sharedDataRemoved k"),
            (.custom(identifier: "synced", payload: ["count": 3]), "custom synced"),
        ] as [(ClientEvent.Kind, String)]
    )
    func `a line has what distinguishes an event from others of its kind, and nothing that varies`(
        kind: ClientEvent.Kind,
        line: String
    ) {
        #expect(ClientEvent(kind).line == line)
    }
}
