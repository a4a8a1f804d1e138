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
/// for itself as one line, ``line(of:)``.
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
    public var lines: [String] { events.map(Self.line) }

    /// The lines of each call by itself, in the order in which the calls began: how calls that run at once are compared.
    public var linesByCall: [[String]] {
        var order: [CallID] = []
        var lines: [CallID: [String]] = [:]
        for event in events {
            if let id = event.callID {
                if lines[id] == nil {
                    order.append(id)
                }
                lines[id, default: []].append(Self.line(of: event))
            }
        }
        return order.compactMap { lines[$0] }
    }

    /// Forgets what happened so far.
    public func clear() {
        recorder.removeAll()
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

// MARK: - Lines

extension EventRecorder {
    /// An event in a few words: the name of its kind, and what tells it from others of that kind.
    ///
    /// | kind | line |
    /// |---|---|
    /// | an attempt | `attemptStarted 1`, `attemptFinished 1 200`, `attemptFailed 1 timeout` |
    /// | a redirect | `redirected https://…` |
    /// | the end of a call | `callSucceeded 200 network`, `callFailed timeout` |
    /// | the cache | `cacheHit`, `cacheMiss absent` |
    /// | a group or a local job | `groupStarted 3`, `groupFinished`, `groupFinished stopped`, `localJobStarted name` |
    /// | an event of one's own | `custom name` |
    /// | all others | the name alone |
    ///
    /// - Parameter event: The event.
    /// - Returns: The line; times and durations are never part of it.
    public static func line(of event: ClientEvent) -> String {
        let name = event.kind.name.rawValue
        switch event.kind {
        case .attemptStarted(let number): return "\(name) \(number)"
        case .attemptFinished(let number, let status): return "\(name) \(number) \(status.code)"
        case .attemptFailed(let number, let error): return "\(name) \(number) \(word(error))"
        case .redirected(let url): return "\(name) \(url)"
        case .callSucceeded(let status, let source, _):
            return "\(name) \(status.code) \("\(source)".prefix { $0 != "(" })"
        case .callFailed(let error):
            return "\(name) \(word(error))"
        case .cacheMiss(let reason): return "\(name) \(reason)"
        case .localJobStarted(let job), .localJobSucceeded(let job), .localJobCancelled(let job),
            .localJobFailed(let job, _):
            return "\(name) \(job)"
        case .groupStarted(let count): return "\(name) \(count)"
        case .groupFinished(let isStopped): return isStopped ? "\(name) stopped" : name
        case .custom(let identifier, _): return "\(name) \(identifier)"
        default: return name
        }
    }
    private static func word(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as RestClientError: error.code.description
        default: "\(type(of: error))"
        }
    }
}
