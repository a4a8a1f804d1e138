// SPDX-License-Identifier: MIT

public import RestClient
public import Testing

/// Records a manager's events, and compares whole sequences of them with literal lists.
///
/// ```swift
/// let recorder = EventRecorder(manager)
/// try await manager.request(.orders).send()
/// recorder.expect([
///     "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 200", "modelLoaded", "callSucceeded 200 dummy",
/// ])
/// ```
///
/// Sequences are compared as a whole: an unexpected event is found as well as a missing one. Each event is one line,
/// `ClientEvent.line`.
///
/// The recorder observes the manager until it is released.
public final class EventRecorder: Sendable {
    private let recorder = Recorder<ClientEvent>()
    private let observation: ObservationToken

    /// Creates a recorder and starts to observe a manager.
    ///
    /// - Parameter manager: The manager.
    public init(_ manager: RestClientManager) {
        observation = manager.observe { [recorder] event in recorder.record(event) }
    }

    /// The events so far, oldest first.
    public var events: [ClientEvent] { recorder.elements }

    /// The events so far as lines, oldest first.
    public var lines: [String] { events.map(\.line) }

    /// The names of the events so far, oldest first: the lines without details.
    public var names: [ClientEvent.Name] { events.map(\.kind.name) }

    /// The lines of each call, in the order in which the calls began, to compare concurrent calls.
    var linesByCall: [[String]] {
        let events = events.filter { $0.callID != nil }
        let calls = Dictionary(grouping: events, by: \.callID)
        var begun: Set<CallID?> = []
        return events.filter { begun.insert($0.callID).inserted }.compactMap { calls[$0.callID]?.map(\.line) }
    }

    /// Removes all events.
    public func clear() {
        recorder.removeAll()
    }

    /// Returns the number of events of a kind so far.
    ///
    /// - Parameter name: The kind's name, as in `.cacheStored`.
    /// - Returns: The number.
    public func count(of name: ClientEvent.Name) -> Int {
        events.count { $0.kind.name == name }
    }

    /// Waits for a number of events of a kind, including those already recorded.
    ///
    /// - Parameters:
    ///   - name: The kind's name, as in `.cacheStored`.
    ///   - count: The number of events; one by default.
    /// - Returns: These events, oldest first, and any that came after them.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    public func wait(for name: ClientEvent.Name, count: Int = 1) async throws -> [ClientEvent] {
        try await recorder.wait { events in events.count { $0.kind.name == name } >= count }
            .filter { $0.kind.name == name }
    }

    /// Waits until a number of calls have ended, including those that have already ended.
    ///
    /// - Parameter count: The number of calls.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func waitForCalls(count: Int) async throws {
        try await recorder.wait { events in events.count(where: \.isTerminal) >= count }
    }

    /// Records an issue unless the events so far are exactly these.
    ///
    /// The issue names the first difference.
    ///
    /// - Parameters:
    ///   - expected: The lines, oldest first.
    ///   - sourceLocation: The location of the issue.
    public func expect(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        Self.compare(lines, with: expected, sourceLocation)
    }

    /// Records an issue unless the events of each call are exactly these, for the calls in the order in which they
    /// began.
    ///
    /// - Parameters:
    ///   - expected: The lines of each call.
    ///   - sourceLocation: The location of the issue.
    public func expectCalls(_ expected: [[String]], sourceLocation: SourceLocation = #_sourceLocation) {
        let found = linesByCall
        if found.count != expected.count {
            Issue.record("\(found.count) calls instead of \(expected.count)", sourceLocation: sourceLocation)
        }
        for (found, expected) in zip(found, expected) {
            Self.compare(found, with: expected, sourceLocation)
        }
    }

    private static func compare(_ found: [String], with expected: [String], _ location: SourceLocation) {
        if let text = difference(of: found, from: expected) {
            Issue.record(Comment(rawValue: text), sourceLocation: location)
        }
    }

    /// Returns a description of the first difference of two sequences; `nil` if they are equal.
    static func difference(of found: [String], from expected: [String]) -> String? {
        guard found != expected else {
            return nil
        }
        let common = zip(found, expected).prefix { $0 == $1 }.count
        let wanted = common < expected.count ? "'\(expected[common])'" : "the end"
        let came = common < found.count ? "'\(found[common])'" : "the end"
        return """
            event \(common + 1) is \(came) instead of \(wanted)
            expected: \(expected.joined(separator: ", "))
            came:     \(found.joined(separator: ", "))
            """
    }
}

extension ClientEvent {
    /// A short description of the event for literal lists of expected events: the name of its kind, and the values that
    /// distinguish it from others of that kind.
    ///
    /// | kind | line |
    /// |---|---|
    /// | an attempt | `attemptStarted 1`, `attemptFinished 1 200`, `attemptFailed 1 timeout` |
    /// | a retry | `retryDecided 2 timeout`, `retrySuppressed attemptsExhausted timeout` |
    /// | a redirect | `redirected https://…` |
    /// | the end of a call | `callSucceeded 200 network`, `callFailed timeout` |
    /// | the cache | `cacheHit 0` and `cacheStale 90` with the age in whole seconds, `cacheMiss absent` |
    /// | a dummy | `dummyMatched`, `dummyUnmatched` |
    /// | a local job | `localJobStarted name`, `localJobFailed name timeout` |
    /// | a group | `groupStarted 3`, `groupFinished`, `groupFinished stopped` |
    /// | a graph and its nodes | `graphStarted name 3`, `nodeFinished name success`, `graphFinished name failure` |
    /// | shared data | `sharedDataUpdated key` |
    /// | a custom event | `custom name` |
    /// | all others | the name alone |
    ///
    /// Errors of the library are shown by their codes, others by their descriptions. Durations are omitted, because
    /// they vary.
    public var line: String {
        ([kind.name.rawValue] + kind.details.compactMap(\.word)).joined(separator: " ")
    }
}
