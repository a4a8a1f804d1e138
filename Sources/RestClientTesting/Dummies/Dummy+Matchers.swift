// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient

extension Dummy {
    /// Adds conditions that a request must meet, all of them.
    ///
    /// - Parameter matchers: The conditions.
    /// - Returns: A changed copy.
    public consuming func matching(_ matchers: RequestMatcher...) -> Dummy {
        conditions += matchers.map(\.condition)
        return self
    }

    consuming func matching(_ matchers: [RequestMatcher]) -> Dummy {
        conditions += matchers.map(\.condition)
        return self
    }
}

extension DummyRegistry {
    /// Registers a dummy of an endpoint with conditions.
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any if `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server to stand in for; any by default.
    ///   - matchers: The conditions that a request must meet.
    ///   - delay: The delay before the response; none by default.
    ///   - respond: Returns the response; see `register(_:_:server:delay:respond:)`.
    /// - Returns: The registration.
    @discardableResult
    public func register(
        _ method: HTTPRequest.Method?,
        _ template: PathTemplate,
        server: ServerAlias? = nil,
        matching matchers: [RequestMatcher],
        delay: DummyDelay = .none,
        respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> DummyResponder {
        register(Dummy(method, template, server: server).matching(matchers).delay(delay).responds(respond))
    }

    /// Registers a dummy of an API with conditions.
    ///
    /// - Parameters:
    ///   - api: The alias of the API.
    ///   - matchers: The conditions that a request must meet.
    ///   - delay: The delay before the response; none by default.
    ///   - respond: Returns the response; see `register(_:_:server:delay:respond:)`.
    /// - Returns: The registration.
    @discardableResult
    public func register<Model>(
        _ api: APIAlias<Model>,
        matching matchers: [RequestMatcher],
        delay: DummyDelay = .none,
        respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) -> DummyResponder {
        register(Dummy(api).matching(matchers).delay(delay).responds(respond))
    }
}
