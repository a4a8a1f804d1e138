// SPDX-License-Identifier: MIT

package import HTTPTypes
public import JobGraphs
import Synchronization

/// The parts of a call that its attempts and redirects share.
public final class CallContext: Sendable {
    /// The identifier of the call.
    public var id: CallID { beginning.id }

    /// The group that the call belongs to, if any.
    public var groupID: GroupID? { beginning.groupID }

    /// The caller's own identifier, when the request has one.
    package var callIdentifier: String? { identity.callIdentifier }

    /// The alias of the API operation, when the request names one.
    package var api: String? { identity.api }

    /// The alias of the server, when the request has one.
    package var server: ServerAlias? { identity.server }

    /// The path template as it was written.
    package var template: String { identity.template }

    /// The HTTP method with which the call began.
    package var method: HTTPRequest.Method { identity.method }

    /// A Boolean value that is true if ``CallConfigurable/muted()`` excludes the call from logs.
    package var isMuted: Bool { identity.isMuted }

    /// The URL with which the call began; its query may contain secrets.
    public var url: String { identity.url }

    private let beginning: CallBeginning
    private let settled: SettledCall

    /// The names of the call's target.
    var identity: CallIdentity { settled.identity }

    /// The settled options of the call.
    var policy: CallPolicy { settled.policy }

    /// The time on the manager's clock at which the call began.
    var start: Duration { beginning.start }

    /// The deadline of the call, on the manager's clock; `nil` for none.
    var deadline: Duration? { beginning.deadline }

    /// The summary, created on first use.
    private let knownSummary = AtomicLazyReference<Summary>()

    private final class Summary: Sendable {
        let value: RequestSummary

        init(_ value: RequestSummary) {
            self.value = value
        }
    }

    /// The cancellation of the call besides that of its task; made when the call begins in its caller's task.
    private let ownCancellation = AtomicLazyReference<CallCancellation>()

    private let attemptCounter = Atomic<Int>(0)

    private let timeline = Mutex(CallTimeline())

    private let learnt = Mutex(CallFacts())

    init(_ settled: SettledCall, _ beginning: CallBeginning) {
        self.settled = settled
        self.beginning = beginning
    }

    /// Returns a copy without attempts that belongs to the same user.
    ///
    /// - Parameters:
    ///   - policy: The settled options of the copy.
    ///   - change: Changes identifiers, start and deadline of the copy.
    /// - Returns: The copy.
    func with(policy: CallPolicy, _ change: (inout CallBeginning) -> Void) -> CallContext {
        var beginning = beginning
        change(&beginning)
        let call = CallContext(SettledCall(identity, policy: policy), beginning)
        let known = facts
        call.learn { facts in
            facts.identity = known.identity
            facts.provided = known.provided
        }
        return call
    }

    /// Adds the attempts that another call made for this one, with their timings and facts.
    func adoptAttempts(of other: CallContext) {
        attemptCounter.wrappingAdd(other.attempts, ordering: .relaxed)
        let made = other.timeline.withLock { $0 }
        note { $0.add(made) }
        let facts = other.facts
        learn { $0.adopt(facts) }
    }

    /// The number of attempts on the wire so far.
    public var attempts: Int {
        attemptCounter.load(ordering: .relaxed)
    }

    /// The timings of the call so far.
    public var timings: CallTimings {
        timeline.withLock { $0 }.timings(since: start)
    }

    /// A description of the call, without credentials.
    public var summary: RequestSummary {
        (knownSummary.load() ?? knownSummary.storeIfNil(Summary(makeSummary()))).value
    }

    private func makeSummary() -> RequestSummary {
        RequestSummary(
            method: method,
            url: Redaction.url(url),
            api: api,
            server: server,
            template: template.isEmpty ? nil : Redaction.url(template),
            callIdentifier: callIdentifier,
            isMuted: isMuted
        )
    }

    /// The cancellation of the call besides that of its task; `nil` if the call has a task of its own.
    var cancellation: CallCancellation? { ownCancellation.load() }

    /// A Boolean value that is true once the call or its task is cancelled.
    var isCancelled: Bool { Task.isCancelled || cancellation?.isCancelled == true }

    /// Throws `CancellationError` once the call or its task is cancelled.
    func checkCancellation() throws {
        if isCancelled {
            throw CancellationError()
        }
    }

    /// Makes the call one that can be cancelled without its task.
    func makeCancellable() -> CallCancellation {
        ownCancellation.storeIfNil(CallCancellation())
    }

    /// Runs an operation that heeds only the cancellation of its task, so that it ends when the call is cancelled.
    ///
    /// - Throws: What the operation throws.
    func waits<Value: Sendable>(
        for operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let cancellation else {
            return try await operation()
        }
        return try await cancellation.waits(for: operation)
    }

    /// Records times.
    func note(_ change: (inout CallTimeline) -> Void) {
        timeline.withLock { change(&$0) }
    }

    /// The facts that stages have recorded so far.
    var facts: CallFacts {
        learnt.withLock { $0 }
    }

    /// Records a fact for other stages.
    @discardableResult
    func learn<Result: Sendable>(_ change: (inout CallFacts) -> Result) -> Result {
        learnt.withLock { change(&$0) }
    }

    /// Records what happened out of the ordinary, for explanations.
    func tell(_ sentence: String) {
        learn { $0.story.append(sentence) }
    }

    /// Counts an attempt; returns its number, beginning with 1.
    func beginAttempt() -> Int {
        attemptCounter.wrappingAdd(1, ordering: .relaxed).newValue
    }
}

extension CallContext: CustomReflectable {
    /// The summary and the options in force, for `dump` and other uses of reflection.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "summary": summary, "attempts": attempts,
                "options": options.explanations(in: policy.environment).map(\.description),
            ]
        )
    }
}
