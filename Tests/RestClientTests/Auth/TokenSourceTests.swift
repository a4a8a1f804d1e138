// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct TokenSourceTests {
    private struct SignedOut: Error {}

    private let gate = Gate()
    private let handed = Recorder<AccessToken?>()

    /// A source whose refreshes wait at the gate and return `t1`, `t2` and so on.
    private func source(_ token: AccessToken? = nil) -> TokenSource {
        TokenSource(token) { [gate, handed] old in
            handed.record(old)
            let number = handed.count
            try await gate.wait()
            return AccessToken("t\(number)")
        }
    }

    @Test
    func `a token that holds is given at once`() async throws {
        let source = source(AccessToken("a"))
        #expect(try await source.token().value == "a")
        #expect(handed.count == 0)
    }

    @Test
    func `a token of a short life that was set is not refreshed at once`() async throws {
        let source = source()
        source.current = AccessToken("set", expiresIn: .seconds(25))
        #expect(try await source.token().value == "set")
        #expect(handed.count == 0)
    }

    @Test
    func `all who ask at once get the token of one refresh`() async throws {
        let source = source(AccessToken("old", expiresAt: .distantPast, refreshToken: "r"))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await source.token().value }
            }
            try await gate.waitForWaiters(count: 1)
            gate.open()
            for try await value in group {
                #expect(value == "t1")
            }
        }
        #expect(handed.elements == [AccessToken("old", expiresAt: .distantPast, refreshToken: "r")])
        #expect(source.current?.refreshToken == "r")
    }

    @Test
    func `a failure reaches all waiters, and the next caller starts a new refresh`() async throws {
        let attempts = Counter()
        let source = TokenSource { [gate] _ in
            let number = attempts.next()
            try await gate.wait()
            if number == 1 {
                throw SignedOut()
            }
            return AccessToken("b")
        }
        let waiters = (0..<10).map { _ in Task { try await source.token() } }
        try await gate.waitForWaiters(count: 1)
        gate.open()
        for waiter in waiters {
            // One that came late got the next refresh; none is left alone.
            switch await waiter.result {
            case .success(let token): #expect(token.value == "b")
            case .failure(let error):
                let error = try #require(error as? RestClientError)
                #expect(error.code == .tokenRefreshFailed)
                #expect(error.underlying is SignedOut)
                #expect(error.failureClass == .unauthorized)
            }
        }
        #expect(try await source.token().value == "b")
        #expect(attempts.value == 2)
    }

    @Test
    func `one who is cancelled leaves the refresh to the others`() async throws {
        let source = source()
        let first = Task { try await source.token() }
        try await gate.waitForWaiters(count: 1)
        let second = Task { try await source.token() }
        await source.waitForWaiters(count: 2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(gate.waiterCount == 1)
        gate.open()
        #expect(try await second.value.value == "t1")
        #expect(handed.count == 1)
    }

    @Test
    func `the last one to leave cancels the refresh`() async throws {
        let ends = Recorder<Bool>()
        let source = TokenSource { [gate] _ in
            defer { ends.record(Task.isCancelled) }
            try await gate.wait()
            return AccessToken("a")
        }
        let waiter = Task { try await source.token() }
        try await gate.waitForWaiters(count: 1)
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(try await ends.waitForCount(1) == [true])
    }

    @Test
    func `the next refresh waits for a cancelled one that still runs`() async throws {
        let running = Recorder<Int>()
        let source = TokenSource { [gate] _ in
            running.record(1)
            // Takes no notice of being cancelled.
            await Task { try? await gate.wait() }.value
            running.record(-1)
            throw SignedOut()
        }
        let first = Task { try await source.token() }
        try await gate.waitForWaiters(count: 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await source.token() }
        gate.open()
        await #expect(throws: RestClientError.self) { try await second.value }
        #expect(running.elements.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }.max() == 1)
    }

    @Test
    func `setting the token resumes the waiters, and drops the result of the refresh`() async throws {
        let source = source()
        let waiter = Task { try await source.token() }
        try await gate.waitForWaiters(count: 1)
        source.current = AccessToken("login")
        #expect(try await waiter.value.value == "login")
        gate.open()
        #expect(try await source.token().value == "login")
    }

    @Test
    func `removing the token fails those who wait for one`() async throws {
        let source = source(AccessToken("old", expiresAt: .distantPast))
        let waiter = Task { try await source.token() }
        try await gate.waitForWaiters(count: 1)
        source.current = nil
        let error = await #expect(throws: RestClientError.self) { try await waiter.value }
        #expect(error?.code == .tokenRefreshFailed)
        gate.open()
        #expect(try await source.token().value == "t2")
        #expect(handed.elements.last == .some(nil))
    }

    @Test
    func `another user's token is not for those who waited for the first one's`() async throws {
        let source = source(AccessToken("old", expiresAt: .distantPast, user: "kim"))
        let waiter = Task { try await source.token() }
        try await gate.waitForWaiters(count: 1)
        source.current = AccessToken("login", user: "lou")
        let error = await #expect(throws: RestClientError.self) { try await waiter.value }
        #expect(error?.code == .tokenRefreshFailed)
        #expect(try await source.token().value == "login")
    }

    @Test
    func `a token near its end is given when it cannot be refreshed`() async throws {
        let token = AccessToken("a", expiresIn: .seconds(1_800))
        let source = TokenSource(token, leeway: .seconds(3_600)) { _ in throw SignedOut() }
        #expect(try await source.token() == token)
        source.invalidate()
        await #expect(throws: RestClientError.self) { try await source.token() }
    }

    @Test
    func `a refresh that asks its own source for a token fails at once`() async throws {
        let source = Recorder<TokenSource>()
        let made = TokenSource { _ in
            try await source.elements[0].token()
        }
        source.record(made)
        let error = await #expect(throws: RestClientError.self) { try await made.token() }
        #expect((error?.underlying as? RestClientError)?.code == .tokenRefreshFailed)
        source.removeAll()
    }

    @Test
    func `an invalid token is refreshed before its end`() async throws {
        gate.open()
        let source = source(AccessToken("a"))
        source.invalidate()
        #expect(try await source.token().value == "t1")
        #expect(try await source.token().value == "t1")
    }

    @Test
    func `no description shows a secret`() {
        let token = AccessToken("s3cret", expiresAt: .distantPast, refreshToken: "s3cret2", user: "kim")
        var dumped = ""
        dump(token, to: &dumped)
        let source = source(token)
        for text in ["\(token)", String(reflecting: token), dumped, "\(Optional(token) as Any)", "\(source)"] {
            #expect(!text.contains("s3cret"))
        }
        var dumpedSource = ""
        dump(Authentication.bearer(source), to: &dumpedSource)
        #expect(!dumpedSource.contains("s3cret"))
    }

    @Test
    func `a token comes back as it was kept`() throws {
        let token = AccessToken("a", expiresIn: .seconds(3_600), refreshToken: "r", user: "kim")
        #expect(try JSONDecoder().decode(AccessToken.self, from: try JSONEncoder().encode(token)) == token)
    }

    @Test(arguments: [
        (RestClientError.Code.connectionFailed, FailureClass.network),
        (.timeout, .timeout), (.unacceptableStatus, .unauthorized), (.decodingFailed, .unauthorized),
    ])
    func `a refresh that failed blames whom its own error blames`(
        code: RestClientError.Code,
        category: FailureClass
    ) async {
        let source = TokenSource { _ in throw RestClientError(code, "failed") }
        let error = await #expect(throws: RestClientError.self) { try await source.token() }
        #expect(error?.failureClass == category)
    }
}
