// SPDX-License-Identifier: MIT

public import RestClient
public import Testing

/// Keeps a manager's events, and compares whole sequences of them with literal lists.
///
/// ```swift
/// let recorder = EventRecorder(manager)
/// try await manager.request(.orders).send()
/// recorder.expect([
///     "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 200", "modelLoaded", "callSucceeded 200 dummy",
/// ])
/// ```
///
/// A sequence says what happened and nothing besides: an event too many is found as well as one too few. Each event stands
/// for itself as one line, `ClientEvent.line`.
///
/// The recorder listens for as long as it lives.
public final class EventRecorder: Sendable {
    private let recorder = Recorder<ClientEvent>()
    private let observation: EventObservation

    /// Begins to listen.
    ///
    /// - Parameter manager: Whose events to keep.
    public init(_ manager: RestClientManager) {
        observation = manager.observe { [recorder] event in recorder.record(event) }
    }

    /// All events so far, the oldest first.
    public var events: [ClientEvent] { recorder.elements }

    /// All events so far as lines, the oldest first.
    public var lines: [String] { events.map(\.line) }

    /// The names of all events so far, the oldest first: what lines say without details.
    public var names: [ClientEvent.Name] { events.map(\.kind.name) }

    /// The lines of each call by itself, in the order in which the calls began: how calls that run at once are compared.
    public var linesByCall: [[String]] {
        var order: [CallID] = []
        var lines: [CallID: [String]] = [:]
        for event in events {
            if let id = event.callID {
                if lines[id] == nil {
                    order.append(id)
                }
                lines[id, default: []].append(event.line)
            }
        }
        return order.compactMap { lines[$0] }
    }

    /// Forgets what happened so far.
    public func clear() {
        recorder.removeAll()
    }

    /// How many events of a kind came so far.
    ///
    /// - Parameter name: The kind's name, as in `.cacheStored`.
    /// - Returns: How many.
    public func count(of name: ClientEvent.Name) -> Int {
        events.count { $0.kind.name == name }
    }

    /// Waits for an event of a kind, seen already or still to come.
    ///
    /// - Parameter name: The kind's name, as in `.callSucceeded`.
    /// - Returns: The oldest event of that kind.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    @discardableResult
    public func wait(for name: ClientEvent.Name) async throws -> ClientEvent {
        try await recorder.waitForElement { $0.kind.name == name }
    }

    /// Waits for so many events of a kind, those seen already included.
    ///
    /// - Parameters:
    ///   - name: The kind's name, as in `.cacheStored`.
    ///   - count: How many.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    public func wait(for name: ClientEvent.Name, count: Int) async throws {
        try await recorder.wait { events in events.count { $0.kind.name == name } >= count }
    }

    /// Waits until so many calls have ended, those that have ended already included.
    ///
    /// - Parameter count: How many calls.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    public func waitForCalls(count: Int) async throws {
        try await recorder.wait { events in events.count(where: \.isTerminal) >= count }
    }

    /// Records an issue unless the events so far are exactly these; it says where the two part.
    ///
    /// - Parameters:
    ///   - expected: The lines, the oldest first.
    ///   - sourceLocation: Where the issue is shown.
    public func expect(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        Self.compare(lines, with: expected, sourceLocation)
    }

    /// Records an issue unless the events of each call are exactly these; the calls in the order in which they began.
    ///
    /// - Parameters:
    ///   - expected: The lines of each call.
    ///   - sourceLocation: Where the issue is shown.
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

    /// Both sequences side by side from the first line that differs; `nil` when none does.
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
