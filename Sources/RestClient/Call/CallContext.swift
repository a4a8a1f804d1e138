// SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization

/// What stays the same during a call, whatever its attempts and redirects.
public final class CallContext: Sendable {
    /// Tells the call apart from all others.
    public let id: CallID

    /// The group that the call belongs to, if any.
    public let groupID: GroupID?

    /// The caller's own identifier, when the request has one.
    public let callIdentifier: String?

    /// The alias of the API operation, when the request names one.
    public let api: String?

    /// The alias of the server, when the request has one.
    public let server: ServerAlias?

    /// The path template as it was written.
    public let template: String

    /// The HTTP method that the call began with.
    public let method: HTTPRequest.Method

    /// Whether ``RequestNode/muted()`` asked to keep the call out of logs.
    public let isMuted: Bool

    /// The URL that the call began with; it may hold secrets in its query.
    public let url: String

    /// When the call began, on the manager's clock.
    let start: Duration

    /// What is settled about the call besides its request.
    let policy: CallPolicy

    /// The stages that the call passes.
    let stages: StageList

    /// What events and errors say of the call, made when the first of them does.
    private let knownSummary = AtomicLazyReference<Summary>()

    private final class Summary: Sendable {
        let value: RequestSummary

        init(_ value: RequestSummary) {
            self.value = value
        }
    }

    private let attemptCounter = Atomic<Int>(0)

    /// When things happened; see ``timings``.
    private let timeline = Mutex(CallTimeline())

    /// What the call's requests may have done; see ``effect``.
    private let requestEffect = Mutex(RequestEffect())

    /// Takes the events while the call stands for others that share its request; `nil` for every other call.
    let relay: EventRelay?

    init(
        id: CallID,
        groupID: GroupID?,
        specification: RequestSpecification,
        target: ResolvedTarget,
        method: HTTPRequest.Method,
        url: String,
        start: Duration,
        policy: CallPolicy,
        stages: StageList
    ) {
        self.id = id
        self.groupID = groupID
        self.callIdentifier = specification.callIdentifier
        self.isMuted = specification.isMuted
        self.api = target.apiName
        self.server = target.serverAlias
        self.template = target.template?.source ?? ""
        self.method = method
        self.url = url
        self.start = start
        self.policy = policy
        self.stages = stages
        relay = nil
    }

    /// A call that refreshes in the background what another call was answered with; it has all its time anew.
    init(inBackgroundOf other: CallContext, clock: ClientClock) {
        id = .next()
        groupID = nil
        callIdentifier = other.callIdentifier
        isMuted = other.isMuted
        api = other.api
        server = other.server
        template = other.template
        method = other.method
        url = other.url
        stages = other.stages
        start = clock.now()
        var policy = other.policy
        policy.deadline = policy.timeout.map { [start] in start + $0 }
        policy.priority = .low
        policy.passesPool = false
        self.policy = policy
        relay = nil
    }

    /// What stands for calls that share one request: the first of them, but for its deadline and its events.
    init(sharing other: CallContext) {
        id = other.id
        groupID = other.groupID
        callIdentifier = other.callIdentifier
        isMuted = other.isMuted
        api = other.api
        server = other.server
        template = other.template
        method = other.method
        url = other.url
        stages = other.stages
        start = other.start
        var policy = other.policy
        policy.deadline = nil
        self.policy = policy
        relay = EventRelay()
    }

    /// Takes over the attempts that were made for the call under another one, and what their time went into.
    func adoptAttempts(of other: CallContext) {
        attemptCounter.wrappingAdd(other.attempts, ordering: .relaxed)
        let made = other.timeline.withLock { $0 }
        note { $0.add(made) }
        let done = other.effect
        noteEffect { $0.adopt(done) }
    }

    /// How many attempts were made on the wire so far.
    public var attempts: Int {
        attemptCounter.load(ordering: .relaxed)
    }

    /// What the call's time went into so far.
    public var timings: CallTimings {
        timeline.withLock { $0 }.timings(since: start)
    }

    /// The call in words, without credentials.
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

    /// Notes when things happened.
    func note(_ change: (inout CallTimeline) -> Void) {
        timeline.withLock { change(&$0) }
    }

    /// What the call's requests may have done so far.
    var effect: RequestEffect {
        requestEffect.withLock { $0 }
    }

    /// Notes what a request may have done.
    func noteEffect(_ change: (inout RequestEffect) -> Void) {
        requestEffect.withLock { change(&$0) }
    }

    /// Counts an attempt; returns its number, beginning with 1.
    func beginAttempt() -> Int {
        attemptCounter.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
