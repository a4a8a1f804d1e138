// SPDX-License-Identifier: MIT

public import RestClient

extension DummyRegistry {
    /// Returns the calls that a dummy would match, oldest first, regardless of which dummy responded to them.
    ///
    /// - Parameter dummy: A description of the calls; its responses are ignored.
    /// - Returns: The calls. Their requests have the values of the placeholders.
    public func calls(of dummy: Dummy) -> [DummyCall] {
        matches(dummy).calls.filter(\.match.isMatch).map(\.call)
    }

    /// Checks the number of calls that a dummy would match, regardless of which dummy responded to them.
    ///
    /// ```swift
    /// try manager.dummies.verify(Dummy(.post, "/orders").matching(.json(containing: ["item": 7])), times: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - dummy: A description of the calls; its responses are ignored.
    ///   - times: The expected number.
    /// - Throws: `RestClientError` with the code `dummyVerificationFailed`, which lists the calls, or the nearest ones
    ///   and their differences.
    public func verify(_ dummy: Dummy, times: Int) throws(RestClientError) {
        try verify(dummy, times: times...times)
    }

    /// Checks the number of calls that a dummy would match, regardless of which dummy responded to them.
    ///
    /// - Parameters:
    ///   - dummy: A description of the calls; its responses are ignored.
    ///   - times: The expected range of numbers, as in `...2`. Defaults to at least one.
    /// - Throws: `RestClientError` with the code `dummyVerificationFailed`, which lists the calls, or the nearest ones
    ///   and their differences.
    public func verify(_ dummy: Dummy, times: some RangeExpression<Int> = 1...) throws(RestClientError) {
        let (calls, dropped) = matches(dummy)
        let matching = calls.filter(\.match.isMatch).map(\.call)
        guard !times.contains(matching.count) else {
            return
        }
        let conditions = dummy.conditions.map { " with \($0)" }.joined()
        let expected = Self.words(times.relative(to: 0..<Int.max))
        var text = "'\(dummy)'\(conditions) was called \(Self.words(matching.count)) instead of \(expected)"
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

    /// Checks that a dummy responded to every call.
    ///
    /// - Throws: `RestClientError` with the code `dummyVerificationFailed`, which lists the calls without a response
    ///   from a dummy.
    public func verifyNoUnmatchedCalls() throws(RestClientError) {
        try verifyNoUnmatchedCalls { _ in true }
    }

    /// Checks that no call failed because dummies are strict; calls that went to the network are ignored.
    func verifyNoRefusedCalls() throws(RestClientError) {
        try verifyNoUnmatchedCalls { $0.mode == .strict }
    }

    private func verifyNoUnmatchedCalls(where matters: (DummyCall) -> Bool) throws(RestClientError) {
        let unmatched = calls.filter { $0.responder == nil && matters($0) }
        guard unmatched.isEmpty else {
            throw Self.failure("no dummy matched " + Self.list(unmatched, separator: "; also "))
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

    // MARK: - Words

    /// Lists calls, those that failed with what their errors say of the nearest dummies.
    private static func list(_ calls: [DummyCall], separator: String = ", ") -> String {
        calls.prefix(8).map { call in "\(call)" + (call.nearest.map { "; \($0)" } ?? "") }.joined(separator: separator)
            + (calls.count > 8 ? separator + "…" : "")
    }

    private static func failure(_ text: String) -> RestClientError {
        RestClientError(.dummyVerificationFailed, text)
    }

    /// Returns a range of numbers of calls in words, as in `at least once`.
    private static func words(_ counts: Range<Int>) -> String {
        switch (counts.lowerBound, counts.upperBound) {
        case (let lower, .max): "at least \(words(lower))"
        case (let lower, let end) where lower + 1 == end: words(lower)
        case (0, let end): "at most \(words(end - 1))"
        case (let lower, let end): "\(lower) to \(end - 1) times"
        }
    }

    private static func words(_ count: Int) -> String {
        switch count {
        case 0: "never"
        case 1: "once"
        case 2: "twice"
        default: "\(count) times"
        }
    }
}
