// SPDX-License-Identifier: MIT

// MARK: - Requests

extension Dummy {
    /// Adds conditions that a request must meet, all of them.
    ///
    /// - Parameter matchers: The conditions.
    /// - Returns: A changed copy.
    public consuming func matching(_ matchers: RequestMatcher...) -> Dummy {
        conditions += matchers
        return self
    }

    /// Adds a condition of your own that a request must meet.
    ///
    /// The matchers of RestClientTesting also say what differs.
    ///
    /// - Parameters:
    ///   - name: The condition in a few words, for errors.
    ///   - predicate: Returns true if the request meets the condition. It may be called from any task, and
    ///     concurrently, even for requests to which another dummy responds in the end. A request for which it throws
    ///     does not meet the condition.
    /// - Returns: A changed copy.
    public consuming func matching(
        _ name: String,
        where predicate: @escaping @Sendable (DummyRequest) throws -> Bool
    ) -> Dummy {
        conditions.append(.predicate(name, predicate))
        return self
    }

    /// Sets the priority.
    ///
    /// When several dummies match, the one with the highest priority responds.
    ///
    /// - Parameter priority: Any number; 0 by default.
    /// - Returns: A changed copy.
    public consuming func priority(_ priority: Int) -> Dummy {
        self.priority = priority
        return self
    }

    /// Limits how often the dummy responds.
    ///
    /// Afterwards it is skipped, as if it were not registered.
    ///
    /// - Parameter count: The number of calls.
    /// - Returns: A changed copy.
    public consuming func times(_ count: Int) -> Dummy {
        limit = max(0, count)
        return self
    }

    /// Makes the dummy part of a scenario: it responds in one state of the scenario only, and may change the state.
    ///
    /// ```swift
    /// Dummy(.get, "/cart").scenario("cart", in: Dummy.startState).responds(.json(Cart()))
    /// Dummy(.post, "/cart").scenario("cart", becomes: "filled").responds(.status(.created))
    /// Dummy(.get, "/cart").scenario("cart", in: "filled").responds(.json(Cart(items: 1)))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The scenario's name. Each registry has its own scenarios, which start in ``startState``.
    ///   - state: The state in which the dummy responds; any by default.
    ///   - next: The state of the scenario once the dummy was chosen; unchanged by default.
    /// - Returns: A changed copy.
    public consuming func scenario(_ name: String, in state: String? = nil, becomes next: String? = nil) -> Dummy {
        scenario = Scenario(name: name, state: state, next: next)
        return self
    }
}

// MARK: - Responses

extension Dummy {
    /// Sets how long the dummy waits before it responds.
    ///
    /// - Parameter delay: The delay; none by default. It is measured with the manager's clock.
    /// - Returns: A changed copy.
    public consuming func delay(_ delay: DummyDelay) -> Dummy {
        self.delay = delay
        return self
    }

    /// Sets the response.
    ///
    /// - Parameter response: The response.
    /// - Returns: A changed copy.
    public consuming func responds(_ response: DummyResponse) -> Dummy {
        responses = [.fixed(response)]
        return self
    }

    /// Sets the response.
    ///
    /// - respond: Returns the response. It may be called from any task, and concurrently. A ``RestClientError`` ends
    ///   the call unchanged; any other error ends it with ``RestClientError/Code-swift.struct/dummyFailed``. If the
    ///   call ends first, the closure is not awaited.
    /// - Returns: A changed copy.
    public consuming func responds(
        _ respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> Dummy {
        responses = [.closure(respond)]
        return self
    }

    /// Adds a response to the next call.
    ///
    /// The last response is repeated.
    ///
    /// - Parameter response: The response.
    /// - Returns: A changed copy.
    public consuming func then(_ response: DummyResponse) -> Dummy {
        responses.append(.fixed(response))
        return self
    }

    /// Adds a response to the next call.
    ///
    /// The last response is repeated.
    ///
    /// - Parameter respond: Returns the response. It may be called from any task, concurrently.
    /// - Returns: A changed copy.
    public consuming func then(
        _ respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> Dummy {
        responses.append(.closure(respond))
        return self
    }
}
