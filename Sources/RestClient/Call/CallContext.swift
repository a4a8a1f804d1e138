// SPDX-License-Identifier: MIT

package import HTTPTypes
public import JobGraphs
import RestEssentials
import Synchronization

/// The parts of a call that its attempts and redirects share.
public final class CallContext: Sendable {
    /// The identifier of the call; the requests of a feed, or of a download, have the same one.
    public var id: CallID { policy.series?.id ?? beginning.id }

    /// The identifier by which the table of running calls distinguishes the calls of a series.
    var entryID: CallID { beginning.id }

    /// The group that the call belongs to, if any.
    public var groupID: GroupID? { beginning.groupID }

    package var callIdentifier: String? { identity.callIdentifier }
    package var api: String? { identity.api }
    package var server: ServerAlias? { identity.server }
    package var template: String { identity.template }

    /// The HTTP method with which the call began.
    package var method: HTTPRequest.Method { identity.method }

    package var isMuted: Bool { identity.isMuted }

    /// The URL with which the call began; its query may contain secrets.
    package var url: String { identity.url }

    private let beginning: Beginning
    /// The request with which the call began, and its options.
    let prepared: PreparedRequest

    var identity: PreparedRequest.Identity { prepared.identity }
    var policy: CallPolicy { prepared.policy }
    var start: Duration { beginning.start }
    var deadline: Duration? { beginning.deadline }
    var effects: [UnsafeEffects] { beginning.effects }

    private let knownSummary = AtomicLazyReference<Summary>()

    private final class Summary: Sendable {
        let value: RequestSummary

        init(_ value: RequestSummary) {
            self.value = value
        }
    }

    /// The cancellation of the call besides that of its task, made when the call is listed.
    private let ownCancellation = AtomicLazyReference<CallCancellation>()

    /// The number of attempts so far; for a branch the number of its latest one.
    private let attemptCounter = Atomic<Int>(0)

    /// The call whose record this one writes to: the call itself, unless it is a branch.
    private var record: CallContext { root ?? self }

    private let root: CallContext?

    /// True for a request that other calls wait for too, so that it does not end with this one.
    private let isShared: Bool

    /// The place of the facts about the latest request, within the record.
    private let place: Atomic<Int>

    private let timeline = Mutex(Timeline())

    private let learnt = Mutex(Facts())

    init(_ prepared: PreparedRequest, _ beginning: Beginning) {
        self.prepared = prepared
        self.beginning = beginning.ending(after: prepared.policy.timeout)
        root = nil
        isShared = false
        place = Atomic(0)
    }

    /// Creates a branch of a call: a request beside the others, or in place of one that failed.
    private init(
        _ prepared: PreparedRequest,
        _ beginning: Beginning,
        of call: CallContext,
        _ request: Facts.Request,
        isShared: Bool = false
    ) {
        self.prepared = prepared
        self.beginning = beginning
        self.isShared = isShared || call.isShared
        root = call.record
        place = Atomic(call.learn { $0.add(request) })
    }

    /// Returns a request that is sent beside others of this call: all that it does is in the record of the call.
    func branch() -> CallContext {
        CallContext(prepared, beginning, of: self, facts.request.unsent)
    }

    func asFallback(of failed: CallContext, policy: CallPolicy) -> CallContext {
        CallContext(prepared.with(policy: policy), beginning, of: failed, Facts.Request())
    }

    /// Returns a branch without a deadline, for a request that also others than this call may wait for.
    func shared(policy: CallPolicy) -> CallContext {
        var beginning = beginning
        beginning.deadline = nil
        let prepared = prepared.with(policy: policy)
        return CallContext(prepared, beginning, of: self, facts.request.unsent, isShared: true)
    }

    /// Goes on with the request of a branch, whose response is that of the call.
    func follow(_ branch: CallContext) {
        place.store(branch.place.load(ordering: .relaxed), ordering: .relaxed)
    }

    /// Returns another call that belongs to the same user, with a new record.
    func another(policy: CallPolicy, _ beginning: Beginning) -> CallContext {
        let call = CallContext(prepared.with(policy: policy), beginning)
        let known = facts
        call.learn { facts in
            facts.request.identity = known.request.identity
            facts.request.provided = known.request.provided
            facts.users = known.users
        }
        return call
    }

    /// The number of attempts on the wire so far.
    public var attempts: Int {
        record.latestAttempt
    }

    /// The number of the latest attempt of this call or branch; zero before the first one.
    package var latestAttempt: Int {
        attemptCounter.load(ordering: .relaxed)
    }

    /// The time from the beginning of the latest attempt's first exchange to the end of its last one; `nil` if it had
    /// none.
    var latestLatency: Duration? {
        let attempt = latestAttempt
        return record.timeline.withLock { $0.duration(ofAttempt: attempt) }
    }

    /// The timings of the call so far.
    public var timings: CallTimings {
        record.timeline.withLock { $0 }.timings(since: start)
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

    /// The cancellation that ends the call's waits, besides that of their task; `nil` for work without a caller.
    var cancellation: CallCancellation? { isShared ? nil : record.ownCancellation.load() }

    var isCancelled: Bool { Task.isCancelled || cancellation?.isCancelled == true }

    func checkCancellation() throws {
        if isCancelled {
            throw CancellationError()
        }
    }

    /// Makes the call one that can be cancelled without its task.
    func makeCancellable() -> CallCancellation {
        ownCancellation.storeIfNil(CallCancellation())
    }

    /// Runs an operation that observes only the cancellation of its task, so that it ends when the call is cancelled.
    func waits<Value: Sendable>(
        for operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let cancellation else {
            return try await operation()
        }
        return try await cancellation.waits(for: operation)
    }

    /// Runs such an operation, and records the time that it takes as a wait.
    func waits<Value: Sendable>(
        _ reason: CallTimings.Wait.Reason,
        on clock: ClientClock,
        for operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let start = clock.now()
        defer { note { $0.add(waitFrom: start, to: clock.now(), for: reason) } }
        return try await waits(for: operation)
    }

    func note(_ change: (inout Timeline) -> Void) {
        record.timeline.withLock { change(&$0) }
    }

    var facts: Facts { learn { $0 } }

    @discardableResult
    func learn<Result: Sendable>(_ change: (inout Facts) -> Result) -> Result {
        record.learnt.withLock { facts in
            facts.move(to: place.load(ordering: .relaxed))
            return change(&facts)
        }
    }

    func hadNoEffect(_ result: Result<RawResponse, any Error>) -> Bool {
        learn { $0.hadNoEffect(result) }
    }

    /// Records what happened out of the ordinary, for explanations.
    func tell(_ sentence: String) {
        learn { $0.story.append(MessageText.of(sentence)) }
    }

    /// Counts an attempt; returns its number, beginning with 1.
    func beginAttempt() -> Int {
        guard let root else {
            return attemptCounter.wrappingAdd(1, ordering: .relaxed).newValue
        }
        let number = root.beginAttempt()
        attemptCounter.store(number, ordering: .relaxed)
        return number
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

extension CallContext {
    /// The parts of a call that are its own.
    struct Beginning: Sendable {
        var id: CallID
        var groupID: GroupID?
        /// The time on the manager's clock at which the call began.
        var start: Duration
        /// The deadline of the call, on the manager's clock; `nil` for none.
        var deadline: Duration?
        /// True if the table of running calls lists the call already.
        var isAnnounced = false
        /// The counts of the unsafe work of the nodes around the call.
        let effects = UnsafeEffects.current

        init(id: CallID, groupID: GroupID? = nil, start: Duration) {
            self.id = id
            self.groupID = groupID
            self.start = start
        }

        func ending(after timeout: Duration?) -> Beginning {
            var beginning = self
            beginning.deadline = timeout.map { start + $0 }
            return beginning
        }
    }
}
