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
///     try .json(body: [Order.sample(user: request.parameters["user"])])
/// }
/// ```
///
/// The most specific match answers: segment by segment, text wins over a placeholder, and a placeholder over a rest. Of
/// equally specific dummies one with a server wins over one without, and then the one registered last.
public final class DummyRegistry: Sendable {
    private struct State {
        var mode = DummyMode.off
        var responders: [DummyResponder] = []
    }

    private let state = Mutex(State())
    /// Whether the mode is not off, for those who need to know no more.
    private let isOn = Atomic<Bool>(false)

    /// Creates an empty registry, switched off.
    public init() {}

    /// Which requests dummies answer; none at first.
    ///
    /// A change concerns the calls that begin afterwards.
    public var mode: DummyMode {
        get { state.withLock { $0.mode } }
        set { setMode { _ in newValue } }
    }

    /// Whether dummies answer the requests they match.
    ///
    /// Setting it to `true` leaves a strict mode strict.
    public var isEnabled: Bool {
        get { isOn.load(ordering: .acquiring) }
        set { setMode { newValue ? ($0 == .off ? .matched : $0) : .off } }
    }

    private func setMode(_ change: (DummyMode) -> DummyMode) {
        state.withLock { state in
            state.mode = change(state.mode)
            isOn.store(state.mode != .off, ordering: .releasing)
        }
    }

    /// All registered dummies, in the order of their registration.
    public var all: [DummyResponder] {
        state.withLock { $0.responders }
    }

    /// Registers a dummy.
    ///
    /// - Parameters:
    ///   - method: The HTTP method to answer.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server to stand in for; any by default.
    ///   - delay: How long to wait before answering; not at all by default.
    ///   - respond: Makes the answer; it may be called from any task, many times at once. What it throws ends the call
    ///     and reaches the caller as it is, which is how a dead network is played.
    /// - Returns: The registration.
    @discardableResult
    public func register(
        _ method: HTTPRequest.Method,
        _ template: PathTemplate,
        server: ServerKey? = nil,
        delay: Duration = .zero,
        respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> DummyResponder {
        let responder = DummyResponder(
            method: method,
            template: template,
            server: server,
            delay: delay,
            respond: respond
        )
        let id = responder.id
        responder.onRemove { [weak self] in
            self?.state
                .withLock { state in
                    state.responders.removeAll { $0.id == id }
                }
        }
        state.withLock { $0.responders.append(responder) }
        return responder
    }

    /// Removes every dummy; the mode stays as it is.
    public func removeAll() {
        state.withLock { $0.responders.removeAll() }
    }

    /// Mode and dummies as they stand at this moment.
    func snapshot() -> (mode: DummyMode, responders: [DummyResponder]) {
        state.withLock { ($0.mode, $0.responders) }
    }
}
