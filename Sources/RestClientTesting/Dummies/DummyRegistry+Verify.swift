// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient

extension DummyRegistry {
    /// Returns the calls of an endpoint, oldest first, whichever dummy responded to them.
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any if `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server; any by default.
    ///   - matchers: The conditions that the requests must meet; none by default.
    /// - Returns: The calls. Their requests have the values of the placeholders.
    public func calls(
        _ method: HTTPRequest.Method?,
        _ template: PathTemplate,
        server: ServerAlias? = nil,
        matching matchers: [RequestMatcher] = []
    ) -> [DummyCall] {
        calls(of: Dummy(method, template, server: server).matching(matchers))
    }

    /// Returns the calls of an API, oldest first, whichever dummy responded to them.
    ///
    /// - Parameters:
    ///   - api: The alias of the API.
    ///   - matchers: The conditions that the requests must meet; none by default.
    /// - Returns: The calls. Their requests have the values of the placeholders.
    public func calls<Model>(_ api: APIAlias<Model>, matching matchers: [RequestMatcher] = []) -> [DummyCall] {
        calls(of: Dummy(api).matching(matchers))
    }

    /// Checks the number of calls of an endpoint.
    ///
    /// ```swift
    /// try manager.dummies.verify(.post, "/orders", matching: [.json(containing: ["item": 7])], times: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any if `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server; any by default.
    ///   - matchers: The conditions that the requests must meet; none by default.
    ///   - times: The expected number; at least one by default.
    /// - Throws: `RestClientError` with the code `dummyVerificationFailed`, which lists the calls, or the nearest ones
    ///   and their differences.
    public func verify(
        _ method: HTTPRequest.Method?,
        _ template: PathTemplate,
        server: ServerAlias? = nil,
        matching matchers: [RequestMatcher] = [],
        times: CallCount = .some
    ) throws(RestClientError) {
        try verify(Dummy(method, template, server: server).matching(matchers), times)
    }

    /// Checks the number of calls of an API.
    ///
    /// - Parameters:
    ///   - api: The alias of the API.
    ///   - matchers: The conditions that the requests must meet; none by default.
    ///   - times: The expected number; at least one by default.
    /// - Throws: `RestClientError` with the code `dummyVerificationFailed`, which lists the calls, or the nearest ones
    ///   and their differences.
    public func verify<Model>(
        _ api: APIAlias<Model>,
        matching matchers: [RequestMatcher] = [],
        times: CallCount = .some
    ) throws(RestClientError) {
        try verify(Dummy(api).matching(matchers), times)
    }

    /// Checks that a dummy responded to every call.
    ///
    /// - Throws: `RestClientError` with the code `dummyVerificationFailed`, which lists the calls that none responded
    ///   to.
    public func verifyNoUnmatchedCalls() throws(RestClientError) {
        try verifyNoUnmatchedCalls { _ in true }
    }

    /// Checks that no call failed because dummies are strict.
    ///
    /// Calls that went to the network are ignored.
    func verifyNoRefusedCalls() throws(RestClientError) {
        try verifyNoUnmatchedCalls { $0.mode == .strict }
    }

    private func verifyNoUnmatchedCalls(where matters: (DummyCall) -> Bool) throws(RestClientError) {
        let unmatched = calls.filter { $0.responder == nil && matters($0) }
        guard unmatched.isEmpty else {
            throw Self.failure("no dummy matched " + Self.list(unmatched))
        }
    }

    /// Checks that every registered dummy was called.
    ///
    /// - Throws: `RestClientError` with the code `dummyVerificationFailed`, which lists the dummies that were not.
    public func verifyAllCalled() throws(RestClientError) {
        let unused = all.filter { $0.callCount == 0 }
        guard unused.isEmpty else {
            throw Self.failure("never called: " + unused.map { "'\($0)'" }.joined(separator: ", "))
        }
    }
}

// MARK: - Parts

extension DummyRegistry {
    private func calls(of dummy: Dummy) -> [DummyCall] {
        matches(dummy).calls.filter(\.match.isMatch).map(\.call)
    }

    private func verify(_ dummy: Dummy, _ times: CallCount) throws(RestClientError) {
        let (calls, dropped) = matches(dummy)
        let matching = calls.filter(\.match.isMatch).map(\.call)
        guard !times.allows(matching.count) else {
            return
        }
        let conditions = dummy.conditions.map { " with \($0)" }.joined()
        var text = "'\(dummy)'\(conditions) was called \(CallCount.words(matching.count)) instead of \(times)"
        if !matching.isEmpty {
            text += ": " + Self.list(matching)
        } else if calls.isEmpty {
            text += "; there were no calls"
        } else {
            let nearest = calls.sorted { $0.match.distance < $1.match.distance }.prefix(3)
                .map { call, match in "\(call): \(match.differences.map(\.text).joined(separator: "; "))" }
            text += "; nearest calls: " + nearest.joined(separator: ", ")
        }
        if dropped > 0 {
            text += "; \(dropped) older calls were dropped, raise callLimit to keep them"
        }
        throw Self.failure(text)
    }

    private static func list(_ calls: [DummyCall]) -> String {
        calls.prefix(8).map { "\($0)" }.joined(separator: ", ") + (calls.count > 8 ? ", …" : "")
    }

    private static func failure(_ text: String) -> RestClientError {
        RestClientError(.dummyVerificationFailed, text)
    }
}
