// SPDX-License-Identifier: MIT

// MARK: - Which requests

extension Dummy {
    /// Adds conditions that a request has to meet, all of them.
    ///
    /// - Parameter matchers: The conditions.
    /// - Returns: A changed copy.
    public consuming func matching(_ matchers: RequestMatcher...) -> Dummy {
        self.matchers += matchers
        return self
    }

    /// Adds conditions that a request has to meet, all of them.
    ///
    /// - Parameter matchers: The conditions.
    /// - Returns: A changed copy.
    public consuming func matching(_ matchers: [RequestMatcher]) -> Dummy {
        self.matchers += matchers
        return self
    }

    /// Sets which dummy answers when several fit: the one with the highest priority.
    ///
    /// - Parameter priority: Any number; 0 by default.
    /// - Returns: A changed copy.
    public consuming func priority(_ priority: Int) -> Dummy {
        self.priority = priority
        return self
    }

    /// Limits how often the dummy answers; afterwards it is passed over, as if it were not there.
    ///
    /// - Parameter count: How many calls it answers.
    /// - Returns: A changed copy.
    public consuming func times(_ count: Int) -> Dummy {
        limit = max(0, count)
        return self
    }

    /// Makes the dummy a part of a scenario: it answers in one state of it only, and may lead to another one.
    ///
    /// ```swift
    /// Dummy(.get, "/cart").scenario("cart", in: Dummy.startState).answers(.json(Cart()))
    /// Dummy(.post, "/cart").scenario("cart", becomes: "filled").answers(.status(.created))
    /// Dummy(.get, "/cart").scenario("cart", in: "filled").answers(.json(Cart(items: 1)))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The scenario's name; each registry has scenarios of its own, all in ``startState`` at first.
    ///   - state: The state in which the dummy answers; any by default.
    ///   - next: The state that the scenario is in once the dummy was chosen; the same as before by default.
    /// - Returns: A changed copy.
    public consuming func scenario(_ name: String, in state: String? = nil, becomes next: String? = nil) -> Dummy {
        scene = Scene(scenario: name, state: state, next: next)
        return self
    }
}

// MARK: - When

extension Dummy {
    /// Sets how long the dummy waits before it answers.
    ///
    /// - Parameter delay: The delay; none by default. Waiting uses the manager's clock.
    /// - Returns: A changed copy.
    public consuming func delay(_ delay: DummyDelay) -> Dummy {
        self.delay = delay
        return self
    }
}

// MARK: - With what

extension Dummy {
    /// Sets what is answered.
    ///
    /// - Parameter response: The response.
    /// - Returns: A changed copy.
    public consuming func answers(_ response: DummyResponse) -> Dummy {
        answers = [.response(response)]
        return self
    }

    /// Sets what is answered.
    ///
    /// - Parameter respond: Makes the response; it may be called from any task, many times at once. A ``RestClientError``
    ///   that it throws ends the call as it is; any other error ends it with
    ///   ``RestClientError/Code-swift.struct/dummyFailed``. One that never ends is left behind when the call ends.
    /// - Returns: A changed copy.
    public consuming func answers(
        _ respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> Dummy {
        answers = [.closure(respond)]
        return self
    }

    /// Sets what is answered, by the model in the request's body.
    ///
    /// - Parameters:
    ///   - type: The type that the body decodes to, as JSON. A body that does not fit ends the call with
    ///     ``RestClientError/Code-swift.struct/dummyFailed``.
    ///   - respond: Makes the response; it may be called from any task, many times at once.
    /// - Returns: A changed copy.
    public consuming func answers<Model: Decodable & SendableMetatype>(
        decoding type: Model.Type,
        _ respond: @escaping @Sendable (Model, DummyRequest) async throws -> DummyResponse
    ) -> Dummy {
        answers { request in try await respond(try request.model(Model.self), request) }
    }

    /// Adds what is answered the next time; the last response is given for ever.
    ///
    /// - Parameter response: The response.
    /// - Returns: A changed copy.
    public consuming func then(_ response: DummyResponse) -> Dummy {
        answers.append(.response(response))
        return self
    }

    /// Adds what is answered the next time; the last response is given for ever.
    ///
    /// - Parameter respond: Makes the response; it may be called from any task, many times at once.
    /// - Returns: A changed copy.
    public consuming func then(
        _ respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> Dummy {
        answers.append(.closure(respond))
        return self
    }
}
