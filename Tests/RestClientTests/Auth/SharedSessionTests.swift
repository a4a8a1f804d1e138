// SPDX-License-Identifier: MIT

import Dispatch
import RestEssentials
import SharedStore
import Synchronization
import TestSupport
import Testing

@testable import RestClient

/// The token of a source and that in the store are one: in one order, and for all processes.
@Suite(.timeLimit(.minutes(5)))
struct SharedSessionTests {
    private let directory: TemporaryDirectory
    private let key: SealingKey

    init() throws {
        directory = try TemporaryDirectory()
        key = try SealingKey(bytes: Data(repeating: 7, count: 32))
    }

    private var file: URL { directory.path("shared.sqlite") }

    private var place: SharedKey<AccessToken> { SharedKey("token", codec: .sealed(key)) }

    /// The token that another process would find.
    private var stored: String? {
        get throws { try SharedData(file: file).value(for: place)?.value }
    }

    /// A source as another process would have it, and its shared data.
    private func process(
        _ token: AccessToken? = nil,
        refresh: @escaping TokenSource.Refresh = { _ in AccessToken("fresh") }
    ) throws -> (source: TokenSource, data: SharedData) {
        let source = TokenSource(token, refresh: refresh)
        let data = try SharedData(file: file)
        try source.keep(in: data, as: "token", sealedWith: key)
        return (source, data)
    }

    private static let expired = AccessToken("old", expiresAt: .distantPast, refreshToken: "r0")

    // MARK: - One order in one process

    /// An action that the clock of shared data performs once, which is asked in the middle of each write.
    private final class Seam: Sendable {
        private let action = Mutex<(@Sendable () -> Void)?>(nil)

        func arm(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }

        func pass() { action.withLock { $0.take() }?() }
    }

    @Test(arguments: [nil, "login"], [false, true])
    func `a change while the token of a refresh is stored wins in both places`(
        next: String?,
        isSameThread: Bool
    ) async throws {
        let (seam, changed) = (Seam(), Recorder<Void>())
        var configuration = SharedData.Configuration()
        configuration.now = {
            seam.pass()
            return Date()
        }
        let data = try SharedData(file: file, configuration: configuration)
        let next = next.map { AccessToken($0) }
        let source = Mutex<TokenSource?>(nil)
        let refreshed = TokenSource(AccessToken("old")) { _ in
            seam.arm {
                let own = source.withLock(\.self)
                guard !isSameThread else {
                    own?.current = next
                    changed.record(())
                    return
                }
                DispatchQueue.global()
                    .async {
                        own?.current = next
                        changed.record(())
                    }
                while own?.current != next {}
            }
            return AccessToken("fresh")
        }
        source.withLock { $0 = refreshed }
        try refreshed.keep(in: data, as: "token", sealedWith: key)
        refreshed.invalidate()

        let token = try? await refreshed.token()
        try await changed.waitForCount(1)

        #expect(token == next)
        #expect(refreshed.current == next)
        // The thread of the refresh stores it, at the latest after it has resumed its callers.
        while try stored != next?.value {
            await Task.yield()
        }
    }

    @Test
    func `a logout while a refresh ends leaves nothing behind`() async throws {
        let data = SharedData()
        for _ in 0..<300 {
            let source = TokenSource(AccessToken("old")) { _ in AccessToken("fresh") }
            try source.keep(in: data, as: "token", sealedWith: key)
            source.invalidate()
            async let token = try? source.token()
            async let logout: Void = Task.detached { source.current = nil }.value
            _ = await (token, logout)
            // A refresh that began after the logout is another session.
            if source.current == nil {
                #expect(try data.value(for: place) == nil)
            } else {
                #expect(try data.value(for: place) == source.current)
            }
        }
    }

    @Test
    func `what an observer of the store sets is stored too`() throws {
        let (source, data) = try process()
        let observation = data.observe(place) { change in
            if change.newValue?.value == "first" {
                source.current = AccessToken("second")
            }
        }
        source.current = AccessToken("first")
        withExtendedLifetime(observation) {}

        #expect(source.current?.value == "second")
        #expect(try stored == "second")
    }

    // MARK: - Several processes

    /// Waits until a source has a token: the thread that watches the file may be the one that delivers it.
    private static func expect(_ value: String?, of source: TokenSource) async {
        let deadline = ContinuousClock.now + .seconds(30)
        while source.current?.value != value, ContinuousClock.now < deadline {
            await Task.yield()
        }
        #expect(source.current?.value == value)
    }

    @Test
    func `the token that was stored last is that of all processes`() async throws {
        let (first, firstData) = try process()
        let (second, secondData) = try process()
        first.current = AccessToken("1")
        second.current = AccessToken("2")
        first.current = AccessToken("3")
        firstData.catchUp()
        secondData.catchUp()
        #expect(first.current?.value == "3")
        await Self.expect("3", of: second)
        #expect(try stored == "3")

        second.current = nil
        firstData.catchUp()
        await Self.expect(nil, of: first)
        #expect(try stored == nil)
    }

    @Test
    func `of the processes that share a session one refreshes it, with each refresh token once`() async throws {
        let (used, gate) = (Recorder<String>(), Gate())
        _ = try process(Self.expired)
        let sources = try (0..<3)
            .map { _ in
                try process { token in
                    used.record(token?.refreshToken ?? "none")
                    try await gate.wait()
                    let number = used.count
                    return AccessToken("t\(number)", expiresIn: .seconds(600), refreshToken: "r\(number)")
                }
            }
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for (source, _) in sources {
                group.addTask { try await source.token().value }
            }
            try await gate.waitForWaiters(count: 1)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(values == ["t1", "t1", "t1"])
        #expect(used.elements == ["r0"])
    }

    @Test
    func `a process that has missed a refresh takes its token before it refreshes`() async throws {
        let (first, _) = try process(Self.expired) { _ in AccessToken("t1", refreshToken: "r1") }
        let used = Recorder<String?>()
        // A source that is not told of changes, as if they had not arrived yet.
        let data = try SharedData(file: file)
        let second = TokenSource(Self.expired) { token in
            used.record(token?.refreshToken)
            return AccessToken("t2")
        }
        try second.keep(in: data, as: "token", sealedWith: key)
        #expect(try await first.token().value == "t1")

        #expect(try await second.token().value == "t1")
        #expect(used.count == 0)
    }

    @Test(arguments: [nil, "login"], [false, true])
    func `what another process stores during a refresh wins`(other: String?, fails: Bool) async throws {
        struct Refused: Error {}
        let (second, _) = try process(Self.expired)
        let (first, firstData) = try process { _ in
            second.current = other.map { AccessToken($0) }
            if fails { throw Refused() }
            return AccessToken("fresh", refreshToken: "r1")
        }

        let token = try? await first.token()
        firstData.catchUp()

        #expect(token?.value == other)
        await Self.expect(other, of: first)
        #expect(try stored == other)
    }

    @Test
    func `a process that holds the right to refresh for too long does not stop a caller that leaves`() async throws {
        let gate = Gate()
        let (first, _) = try process(Self.expired) { _ in
            try await gate.wait()
            return AccessToken("t1")
        }
        let (second, _) = try process()
        let holder = Task { try await first.token() }
        try await gate.waitForWaiters(count: 1)
        let waiter = Task { try await second.token() }
        await second.waitForWaiters(count: 1)
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        gate.open()
        #expect(try await holder.value.value == "t1")
    }
}
