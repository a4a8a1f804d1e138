// SPDX-License-Identifier: MIT

public import HTTPTypes

// What was called is compared with what should have been, by the calls that the registry remembers.

extension DummyRegistry {
    /// The calls of an endpoint, the oldest first, whichever dummy answered them.
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any when `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server; any by default.
    ///   - matchers: What the requests have to meet besides; nothing by default.
    /// - Returns: The calls; their requests hold the values of the placeholders.
    public func calls(
        _ method: HTTPRequest.Method?,
        _ template: PathTemplate,
        server: ServerAlias? = nil,
        matching matchers: [RequestMatcher] = []
    ) -> [DummyCall] {
        calls(of: Dummy(method, template, server: server).matching(matchers))
    }

    /// The calls of an API operation, the oldest first, whichever dummy answered them.
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - matchers: What the requests have to meet besides; nothing by default.
    /// - Returns: The calls; their requests hold the values of the placeholders.
    public func calls<Model>(_ api: APIAlias<Model>, matching matchers: [RequestMatcher] = []) -> [DummyCall] {
        calls(of: Dummy(api).matching(matchers))
    }

    /// Checks how often an endpoint was called.
    ///
    /// ```swift
    /// try manager.dummies.verify(.post, "/orders", matching: [.json(containing: ["item": 7])], times: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any when `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders.
    ///   - server: The server; any by default.
    ///   - matchers: What the requests have to meet besides; nothing by default.
    ///   - times: How often; at least once by default.
    /// - Throws: ``RestClientError/Code-swift.struct/dummyVerificationFailed``, which lists the calls that came, or the
    ///   nearest ones and what differs.
    public func verify(
        _ method: HTTPRequest.Method?,
        _ template: PathTemplate,
        server: ServerAlias? = nil,
        matching matchers: [RequestMatcher] = [],
        times: CallCount = .some
    ) throws(RestClientError) {
        try verify(Dummy(method, template, server: server).matching(matchers), times)
    }

    /// Checks how often an API operation was called.
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - matchers: What the requests have to meet besides; nothing by default.
    ///   - times: How often; at least once by default.
    /// - Throws: ``RestClientError/Code-swift.struct/dummyVerificationFailed``, which lists the calls that came, or the
    ///   nearest ones and what differs.
    public func verify<Model>(
        _ api: APIAlias<Model>,
        matching matchers: [RequestMatcher] = [],
        times: CallCount = .some
    ) throws(RestClientError) {
        try verify(Dummy(api).matching(matchers), times)
    }

    /// Checks that a dummy answered every call.
    ///
    /// - Throws: ``RestClientError/Code-swift.struct/dummyVerificationFailed``, which lists the calls that none answered.
    public func verifyNoUnmatchedCalls() throws(RestClientError) {
        try verifyNoUnmatchedCalls { _ in true }
    }

    /// Checks that no call failed because dummies are strict; those that went to the network do not matter.
    package func verifyNoRefusedCalls() throws(RestClientError) {
        try verifyNoUnmatchedCalls { $0.mode == .strict }
    }

    private func verifyNoUnmatchedCalls(where matters: (DummyCall) -> Bool) throws(RestClientError) {
        let unmatched = calls.filter { $0.responder == nil && matters($0) }
        guard !unmatched.isEmpty else {
            return
        }
        throw Self.failure("no dummy answered " + Self.list(unmatched))
    }

    /// Checks that every dummy that is registered was called.
    ///
    /// - Throws: ``RestClientError/Code-swift.struct/dummyVerificationFailed``, which lists the dummies that were not.
    public func verifyAllCalled() throws(RestClientError) {
        let unused = all.filter { $0.callCount == 0 }
        guard !unused.isEmpty else {
            return
        }
        throw Self.failure("never called: " + unused.map { "'\($0)'" }.joined(separator: ", "))
    }
}

// MARK: - Parts

extension DummyRegistry {
    private func calls(of dummy: Dummy) -> [DummyCall] {
        Self.examined(log.calls, dummy, self).compactMap { call, fit in fit.fits ? call.with(fit.parameters) : nil }
    }

    private func verify(_ dummy: Dummy, _ times: CallCount) throws(RestClientError) {
        let (calls, forgotten) = log
        let examined = Self.examined(calls, dummy, self)
        let fitting = examined.filter(\.1.fits).map(\.0)
        guard !times.allows(fitting.count) else {
            return
        }
        let conditions = dummy.matchers.map { " with \($0)" }.joined()
        var text = "'\(dummy)'\(conditions) was called \(CallCount.words(fitting.count)) instead of \(times)"
        if !fitting.isEmpty {
            text += ": " + Self.list(fitting)
        } else if calls.isEmpty {
            text += "; nothing was called at all"
        } else {
            let nearest = examined.sorted { $0.1.distance < $1.1.distance }.prefix(3)
                .map { call, fit in "\(call): \(fit.differences.map(\.text).joined(separator: "; "))" }
            text += "; nearest calls: " + nearest.joined(separator: ", ")
        }
        if forgotten > 0 {
            text += "; \(forgotten) older calls are forgotten, raise callLimit to keep them"
        }
        throw Self.failure(text)
    }

    /// The calls, each with how it fits a description.
    private static func examined(
        _ calls: [DummyCall],
        _ dummy: Dummy,
        _ registry: DummyRegistry
    ) -> [(DummyCall, DummyFit)] {
        let wanted = DummyResponder(dummy, registry: registry)
        return calls.map { call in
            var body = DummyBody()
            return (call, DummyFit(call.request, wanted, call.context, body: &body, stopsEarly: false))
        }
    }

    private static func list(_ calls: [DummyCall]) -> String {
        calls.prefix(8).map { "\($0)" }.joined(separator: ", ") + (calls.count > 8 ? ", …" : "")
    }

    private static func failure(_ text: String) -> RestClientError {
        RestClientError(.dummyVerificationFailed, text)
    }
}

extension DummyCall {
    /// The same call with the values of other placeholders.
    fileprivate func with(_ parameters: [String: String]) -> DummyCall {
        var request = request
        request.parameters = parameters
        return DummyCall(number: number, request: request, responder: responder, mode: mode, context: context)
    }
}
