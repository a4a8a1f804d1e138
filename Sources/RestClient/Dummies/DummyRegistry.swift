// SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization

/// The dummies of a manager: they respond instead of servers, at the level of the transport.
///
/// Status check, decoding, cache, events and groups work exactly as against a server.
///
/// ```swift
/// manager.dummies.mode = .matched
/// manager.dummies.register(.get, "/users/{user}/orders", server: .store, delay: .milliseconds(80)) { request in
///     .json([Order.sample(user: request.parameters["user"])])
/// }
/// ```
///
/// When several dummies match a request, the most specific one responds; see ``Dummy`` for the rule. Within
/// ``RestClientManager/withDummies(_:_:isolation:operation:)-swift.method``, dummies of the scope come first.
public final class DummyRegistry: Sendable {
    private let state: Mutex<State>
    /// True if the mode is not off, so that calls can read it without the lock.
    private let isOn: Atomic<Bool>

    /// Creates an empty registry.
    ///
    /// - Parameter mode: Decides which requests its dummies respond to; none by default.
    public init(mode: DummyMode = .off) {
        state = Mutex(State(mode: mode))
        isOn = Atomic(mode != .off)
    }

    // MARK: - Modes

    /// Decides which requests dummies respond to.
    ///
    /// Defaults to none.
    ///
    /// The option ``CallConfigurable/dummies(_:)`` of a call, its API, its server or the manager takes precedence. A
    /// change applies to calls that begin afterwards.
    public var mode: DummyMode {
        get { state.withLock { $0.mode } }
        set {
            state.withLock { state in
                state.mode = newValue
                isOn.store(newValue != .off, ordering: .releasing)
            }
        }
    }

    var isActive: Bool { isOn.load(ordering: .acquiring) }

    // MARK: - Registration

    /// The registered dummies, in the order of their registration.
    public var all: [DummyResponder] {
        state.withLock { $0.responders }
    }

    /// Registers a dummy.
    ///
    /// - Parameter dummy: The description.
    /// - Returns: The registration.
    @discardableResult
    public func register(_ dummy: Dummy) -> DummyResponder {
        let responder = DummyResponder(dummy, registry: self)
        state.withLock { $0.add(responder) }
        return responder
    }

    /// Registers several dummies, in order.
    ///
    /// - Parameter dummies: The descriptions, one below the other.
    /// - Returns: The registrations.
    @discardableResult
    public func register(@DummyBuilder _ dummies: () throws -> [Dummy]) rethrows -> [DummyResponder] {
        try dummies().map { register($0) }
    }

    /// Registers a dummy of an endpoint.
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any if `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server that the dummy replaces; any by default.
    ///   - delay: The delay before the response; none by default.
    ///   - respond: Returns the response. It may be called from any task, concurrently. A ``RestClientError`` ends the
    ///     call as it is, which simulates a dead network; any other error ends it with
    ///     ``RestClientError/Code-swift.struct/dummyFailed``.
    /// - Returns: The registration.
    @discardableResult
    public func register(
        _ method: HTTPRequest.Method?,
        _ template: PathTemplate,
        server: ServerAlias? = nil,
        delay: DummyDelay = .fixed(.zero),
        respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> DummyResponder {
        register(Dummy(method, template, server: server).delay(delay).responds(respond))
    }

    /// Registers a dummy of an API.
    ///
    /// - Parameters:
    ///   - api: The alias of the API.
    ///   - delay: The delay before the response; none by default.
    ///   - respond: Returns the response, as for an endpoint.
    /// - Returns: The registration.
    @discardableResult
    public func register<Model>(
        _ api: APIAlias<Model>,
        delay: DummyDelay = .fixed(.zero),
        respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> DummyResponder {
        register(Dummy(api).delay(delay).responds(respond))
    }

    /// Removes every dummy.
    ///
    /// Modes, scenarios and the log of calls are unchanged.
    public func removeAll() {
        state.withLock { $0.removeAll() }
    }

    func remove(_ id: DummyID) {
        state.withLock { $0.remove(id) }
    }

    /// Clears the log of calls and all counts, and restarts sequences and scenarios.
    ///
    /// The dummies stay.
    public func reset() {
        state.withLock { $0.reset() }
    }

    // MARK: - Scenarios

    /// Returns the state of a scenario; ``Dummy/startState`` at first.
    ///
    /// - Parameter scenario: The scenario's name.
    /// - Returns: The name of the state.
    public func state(ofScenario scenario: String) -> String {
        state.withLock { $0.state(of: scenario) }
    }

    /// Sets the state of a scenario.
    ///
    /// - Parameters:
    ///   - state: The name of the state.
    ///   - scenario: The scenario's name.
    public func setState(_ state: String, ofScenario scenario: String) {
        self.state.withLock { $0.setState(state, of: scenario) }
    }

    // MARK: - Calls

    /// The calls made while dummies were enabled, oldest first.
    ///
    /// They are the calls that a dummy of this registry responded to, and those that none did. A scope also has the
    /// calls within it that dummies of other scopes responded to.
    public var calls: [DummyCall] {
        state.withLock { Array($0.calls) }
    }

    /// The largest number of calls to keep, 1000 by default.
    ///
    /// The oldest are dropped.
    public var callLimit: Int {
        get { state.withLock { $0.callLimit } }
        set { state.withLock { $0.callLimit = newValue } }
    }
}

// MARK: - Lookup

extension DummyRegistry {
    func choose(among candidates: [DummyResponder]) -> (index: Int, number: Int)? {
        state.withLock { $0.choose(among: candidates) }
    }

    func log(_ call: (_ number: Int) -> DummyCall) {
        state.withLock { $0.log(call) }
    }

    var obstacles: [(responder: DummyResponder, obstacle: String?)] {
        state.withLock { state in state.responders.map { ($0, state.obstacle(to: $0)) } }
    }

    package func matches(_ dummy: Dummy) -> (calls: [(call: DummyCall, match: DummyMatch)], dropped: Int) {
        let (calls, dropped) = state.withLock { (Array($0.calls), $0.droppedCallCount) }
        let matches = calls.map { call in
            var body = RequestMatcher.Body()
            let match = DummyMatch(call.request, dummy, call.context, body: &body, stopsEarly: false)
            var call = call
            if match.isMatch {
                call.request.parameters = match.parameters
            }
            return (call: call, match: match)
        }
        return (matches, dropped)
    }
}

// MARK: - Serving

extension DummyRegistry {
    /// Returns the response to a request that a server received, whatever the mode; the server plays fault and chunks.
    package func response(
        to request: DummyRequest,
        _ directory: (any DummyDirectory)?,
        pause: @Sendable (Duration) async throws -> Void
    ) async throws -> DummyResponse {
        let context = DummyContext(directory: directory, isServer: true)
        let lookup = DummyLookup(mode: .strict, registries: [self])
        let reply: DummyReply
        do throws(DummyLookup.Unmatched) {
            reply = try lookup.reply(to: request, context)
        } catch {
            throw RestClientError(
                .dummyNotFound,
                "no dummy of the server matches \(request.method.rawValue) \(Redaction.url(request.url)); "
                    + (error.nearest ?? "")
            )
        }
        return try await reply.response(pause: pause)
    }
}
