// SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization

/// The dummies of a manager: they answer in a server's place, where the socket would be.
///
/// Status check, decoding, cache, events and groups behave exactly as against a server.
///
/// ```swift
/// manager.dummies.isEnabled = true
/// manager.dummies.register(.get, "/users/{user}/orders", server: .store, delay: .milliseconds(80)) { request in
///     .json([Order.sample(user: request.parameters["user"])])
/// }
/// ```
///
/// When several dummies fit a request, the most specific one answers; see ``Dummy`` for the rule. Inside of
/// ``RestClientManager/withDummies(_:_:isolation:operation:)-swift.method``, dummies of the scope come first.
public final class DummyRegistry: Sendable {
    private struct State {
        var modes: DummyModes
        var ledger = DummyLedger()
    }

    private let state: Mutex<State>
    /// Whether some mode is not off, for those who need to know no more.
    private let isOn: Atomic<Bool>

    /// Creates an empty registry.
    ///
    /// - Parameter mode: Which requests its dummies answer; none by default.
    public init(mode: DummyMode = .off) {
        let modes = DummyModes(mode)
        state = Mutex(State(modes: modes))
        isOn = Atomic(modes.isOn)
    }

    // MARK: Modes

    /// Which requests dummies answer; none at first.
    ///
    /// The mode of an API operation, of a server, or of the call itself (``CallConfigurable/dummies(_:)``) wins over it. A
    /// change concerns the calls that begin afterwards.
    public var mode: DummyMode {
        get { modes.general }
        set { change { $0.modes.general = newValue } }
    }

    /// Whether dummies answer the requests they match.
    ///
    /// Setting it to `true` leaves a strict mode strict.
    public var isEnabled: Bool {
        get { mode != .off }
        set { change { $0.modes.general = newValue ? ($0.modes.general == .off ? .matched : $0.modes.general) : .off } }
    }

    /// Sets which requests to a server dummies answer.
    ///
    /// - Parameters:
    ///   - mode: The mode; ``mode`` when `nil`.
    ///   - server: The server's alias. Calls that name their server by address have none.
    public func setMode(_ mode: DummyMode?, forServer server: ServerAlias) {
        change { $0.modes.servers[server] = mode }
    }

    /// Sets which calls of an API operation dummies answer; it wins over the server's mode.
    ///
    /// - Parameters:
    ///   - mode: The mode; the server's, or else ``mode``, when `nil`.
    ///   - api: The alias of the operation.
    public func setMode<Model>(_ mode: DummyMode?, forAPI api: APIAlias<Model>) {
        change { $0.modes.apis[api.rawValue] = mode }
    }

    /// The modes as they stand.
    var modes: DummyModes { state.withLock { $0.modes } }

    /// Whether some mode is not off.
    var isActive: Bool { isOn.load(ordering: .acquiring) }

    private func change(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            isOn.store(state.modes.isOn, ordering: .releasing)
        }
    }

    // MARK: Registration

    /// All registered dummies, in the order of their registration.
    public var all: [DummyResponder] {
        state.withLock { $0.ledger.responders }
    }

    /// Registers a dummy.
    ///
    /// - Parameter dummy: What it answers, and with what.
    /// - Returns: The registration.
    @discardableResult
    public func register(_ dummy: Dummy) -> DummyResponder {
        let responder = DummyResponder(dummy, registry: self)
        state.withLock { $0.ledger.add(responder) }
        return responder
    }

    /// Registers several dummies, in their order.
    ///
    /// - Parameter dummies: Their descriptions, one below the other.
    /// - Returns: The registrations.
    @discardableResult
    public func register(@DummyBuilder _ dummies: () throws -> [Dummy]) rethrows -> [DummyResponder] {
        try dummies().map { register($0) }
    }

    /// Registers a dummy of an endpoint.
    ///
    /// - Parameters:
    ///   - method: The HTTP method to answer; any when `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server to stand in for; any by default.
    ///   - matchers: What a request has to meet besides; nothing by default.
    ///   - delay: How long to wait before answering; not at all by default.
    ///   - respond: Makes the response; it may be called from any task, many times at once. A ``RestClientError`` that it
    ///     throws ends the call as it is, which is how a dead network is played; any other error ends it with
    ///     ``RestClientError/Code-swift.struct/dummyFailed``.
    /// - Returns: The registration.
    @discardableResult
    public func register(
        _ method: HTTPRequest.Method?,
        _ template: PathTemplate,
        server: ServerAlias? = nil,
        matching matchers: [RequestMatcher] = [],
        delay: DummyDelay = .none,
        respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> DummyResponder {
        register(Dummy(method, template, server: server).matching(matchers).delay(delay).answers(respond))
    }

    /// Registers a dummy of an API operation.
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - matchers: What a request has to meet besides; nothing by default.
    ///   - delay: How long to wait before answering; not at all by default.
    ///   - respond: Makes the response, as for an endpoint.
    /// - Returns: The registration.
    @discardableResult
    public func register<Model>(
        _ api: APIAlias<Model>,
        matching matchers: [RequestMatcher] = [],
        delay: DummyDelay = .none,
        respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> DummyResponder {
        register(Dummy(api).matching(matchers).delay(delay).answers(respond))
    }

    /// Removes every dummy; modes, scenarios and the log of calls stay as they are.
    public func removeAll() {
        state.withLock { $0.ledger.removeAll() }
    }

    func remove(_ id: DummyResponder.ID) {
        state.withLock { $0.ledger.remove(id) }
    }

    /// Begins anew: forgets the calls, counts from zero, and puts sequences and scenarios at their start; the dummies stay.
    public func reset() {
        state.withLock { state in
            state.ledger.reset()
            for responder in state.ledger.responders {
                responder.setCallCount(0)
            }
        }
    }

    // MARK: Scenarios

    /// The state of a scenario; ``Dummy/startState`` at first.
    ///
    /// - Parameter scenario: The scenario's name.
    /// - Returns: The name of the state.
    public func state(ofScenario scenario: String) -> String {
        state.withLock { $0.ledger.state(of: scenario) }
    }

    /// Puts a scenario in a state.
    ///
    /// - Parameters:
    ///   - state: The name of the state.
    ///   - scenario: The scenario's name.
    public func setState(_ state: String, ofScenario scenario: String) {
        self.state.withLock { $0.ledger.setState(state, of: scenario) }
    }

    // MARK: Calls

    /// The calls that came while dummies were on, the oldest first.
    ///
    /// They are those that a dummy of this registry answered, and those that none did. A scope also knows the calls inside
    /// of it that dummies of other scopes answered.
    public var calls: [DummyCall] {
        state.withLock { Array($0.ledger.calls) }
    }

    /// How many calls are remembered, 1000 at first; the oldest are forgotten.
    public var callLimit: Int {
        get { state.withLock { $0.ledger.callLimit } }
        set { state.withLock { $0.ledger.callLimit = newValue } }
    }

    /// The calls that are remembered, and how many are not any more.
    var log: (calls: [DummyCall], forgotten: Int) {
        state.withLock { (Array($0.ledger.calls), $0.ledger.forgottenCount) }
    }

    /// Chooses the first of the dummies that may answer, and counts the call; `nil` when none may.
    func claim(_ matches: [DummySelection.Match]) -> (match: DummySelection.Match, number: Int)? {
        state.withLock { state in
            guard let (index, number) = state.ledger.claim(matches.map(\.responder)) else {
                return nil
            }
            matches[index].responder.setCallCount(number)
            return (matches[index], number)
        }
    }

    /// Remembers a call.
    func record(
        _ request: DummyRequest,
        _ context: DummyContext,
        answeredBy responder: DummyResponder?,
        _ mode: DummyMode
    ) {
        state.withLock { $0.ledger.record(request, context, answeredBy: responder, mode) }
    }

    /// The dummies, each with what keeps it from answering at present.
    var candidates: [DummySelection.Candidate] {
        state.withLock { state in
            state.ledger.responders.map {
                DummySelection.Candidate(responder: $0, hindrance: state.ledger.hindrance(of: $0))
            }
        }
    }
}
