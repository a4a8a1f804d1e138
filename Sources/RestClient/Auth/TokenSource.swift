// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// A source of access tokens, which refreshes a token that has expired or was rejected; concurrent callers share one
/// refresh.
///
/// ```swift
/// let session = TokenSource(saved) { [weak manager] token in
///     guard let manager, let old = token?.refreshToken else { throw SignedOut() }
///     return try await manager.request(.refresh).values(["refresh_token": old]).send().token()
/// }
/// manager.servers[.store] = Server("https://api.example.com/v1").authentication(.bearer(session))
/// ```
///
/// The token is refreshed before a call if it has expired or is about to expire, and after a server rejects it. At most
/// one refresh is in progress at a time, and all waiting calls receive its token. The rejection of a token that has
/// been replaced meanwhile starts no refresh.
///
/// A token without an expiry is used until a server rejects it. The source learns the lifetime of tokens from such
/// rejections, and then refreshes before their end. A token that was accepted once and is rejected later has expired;
/// if three fresh tokens are rejected on first use within a minute, the rejection is final. A server accepts a token by
/// any status below 400, or by a failure that it determines once it knows the caller: 404, 409, 410, 412, 416, 422,
/// 423, 424 and 428.
///
/// A failed refresh fails the calls that wait for it with ``RestClientError/Code-swift.struct/tokenRefreshFailed``,
/// with the refresh's own error as the underlying one; the next call starts another refresh. As long as the old token
/// is valid, calls use it. A call that is cancelled or times out leaves the refresh to the others; the last one to
/// leave cancels it.
///
/// Calls made by the refresh itself carry no token of this source, and do not wait for a worker slot, because calls
/// that hold one may wait for the refresh.
///
/// Within a scope of dummies or of a recording, the source has a separate state, which begins with the token outside:
/// what it obtains or loses there (``current`` too) neither leaves the scope nor reaches the store of
/// ``keep(in:as:sealedWith:previous:onFailure:)``, unless that was called in the scope.
///
/// A source may serve several servers and managers, and may be used from any task. If the refresh uses a manager that
/// retains the source, capture the manager weakly, as above; otherwise it would retain itself.
public final class TokenSource: Sendable {
    /// Returns a new token.
    public typealias Refresh = @Sendable (_ token: AccessToken?) async throws -> AccessToken

    typealias WaiterID = TokenRefreshStateMachine.WaiterID
    typealias RefreshID = TokenRefreshStateMachine.RefreshID

    /// The outcome of a wait is the token; `nil` if the rejection is final.
    typealias Callers = Waiters<WaiterID, Result<TokenGrant?, any Error>>

    struct State {
        var machine: TokenRefreshStateMachine
        var waiters = Callers()
        var tellers: Set<WaiterID> = []
        var lastWaiter: WaiterID = 0
        /// The refresh in progress; `nil` also at the moment when it begins.
        var work: Task<Void, Never>?
        var keeping: TokenKeeping?
        var revision: UInt64 = 0
        /// The revision that is stored, or could not be.
        var storedRevision: UInt64 = 0
        var storedToken: AccessToken?

        var mustStore: Bool { keeping != nil && revision != storedRevision }

        func grant(of token: AccessToken) -> TokenGrant {
            TokenGrant(token: token, session: machine.session, isAccepted: machine.isAccepted)
        }

        /// Removes waiters; if a refresh is to be reported, the first waiter that can do so is chosen.
        mutating func wake(
            _ ids: [WaiterID],
            with outcome: Result<TokenGrant, any Error>,
            isNews: Bool = false
        ) -> [Callers.Wakeup] {
            let teller = isNews ? ids.first { tellers.contains($0) } : nil
            tellers.subtract(ids)
            return ids.compactMap { id in waiters.withdraw(id, with: outcome.map { $0.telling(id == teller) }) }
        }

        mutating func settle(
            _ result: Result<RenewedToken, any Error>,
            now: Date
        ) -> (wakeups: [Callers.Wakeup], begins: RefreshID?) {
            work = nil
            switch result {
            case .success(let fresh):
                if machine.awaitsToken { revision += 1 }
                let settlement = machine.finish(fresh.token, isOfLogin: fresh.isOfLogin, now: now)
                let grant = grant(of: machine.token ?? fresh.token)
                return (wake(settlement.waiters, with: .success(grant), isNews: true), settlement.begins)
            case .failure(let error):
                let settlement = machine.fail(now: now)
                let outcome = settlement.fallback.map { Result<_, any Error>.success(grant(of: $0)) }
                return (wake(settlement.waiters, with: outcome ?? .failure(error)), settlement.begins)
            }
        }
    }

    let refusals: StatusSet

    private let renewal: TokenRenewal
    private let leeway: Duration
    /// The source whose state in a scope this is; `nil` for a source itself.
    private let origin: TokenSource?
    let state: Mutex<State>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - token: The first token; without one, the first call obtains one with `refresh`.
    ///   - leeway: The time before its end at which a token is refreshed; 30 seconds by default, and at most a tenth of
    ///     its lifetime, which begins when the source gets the token. That of the first token is unknown.
    ///   - refusals: The statuses with which a server rejects a token; 401 by default.
    ///   - refresh: Returns a new token for the given one, which is `nil` at first and after ``current`` was set to
    ///     `nil`. Parts that the new one lacks (refresh token, user) are taken from the old one. It runs in a task of
    ///     its own, which inherits the task-local values of the call that started it.
    public init(
        _ token: AccessToken? = nil,
        leeway: Duration = .seconds(30),
        refusals: StatusSet = [.unauthorized],
        refresh: @escaping Refresh
    ) {
        self.refusals = refusals
        renewal = TokenRenewal { RenewedToken(token: try await refresh($0)) }
        self.leeway = leeway
        origin = nil
        state = Mutex(State(machine: TokenRefreshStateMachine(token, leeway: leeway)))
    }

    init(_ token: AccessToken?, renewal: TokenRenewal) {
        refusals = [.unauthorized]
        self.renewal = renewal
        leeway = .seconds(30)
        origin = nil
        state = Mutex(State(machine: TokenRefreshStateMachine(token, leeway: leeway)))
    }

    private init(of origin: TokenSource, _ token: AccessToken?) {
        refusals = origin.refusals
        renewal = origin.renewal
        leeway = origin.leeway
        self.origin = origin
        state = Mutex(State(machine: TokenRefreshStateMachine(token, leeway: leeway)))
    }

    /// Returns the state of the source in a scope; the source itself outside of scopes.
    func inside(_ isolation: CallIsolation?) -> TokenSource {
        isolation?
            .state(of: self) {
                TokenSource(of: self, inside(isolation?.base).latest?.token)
            } ?? self
    }

    /// The latest token, whether or not it is still valid.
    ///
    /// Set it after a login, and to `nil` after a logout. A refresh in progress is then cancelled, and its token is
    /// dropped. Calls that wait for it use the new token; they fail if there is none, or if both tokens have users and
    /// the users differ: a call of one user is never sent as another one.
    public var current: AccessToken? {
        get { inside(.current).latest?.token }
        set {
            let source = inside(.current)
            source.replace { $0.machine.replace(with: newValue, known: Date()) }
            source.keep()
        }
    }

    /// Returns the token, refreshed if necessary, for requests that are not made with this library.
    ///
    /// - Returns: A valid token, as far as known.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/tokenRefreshFailed``, also
    ///   inside the source's own refresh, which would wait for itself, or
    ///   ``RestClientError/Code-swift.struct/loginRequired``; `CancellationError` when the task is cancelled.
    public func token() async throws -> AccessToken {
        guard let grant = try await inside(.current).grant(now: { Date() }) else {
            throw Self.failure("the server rejects every token")
        }
        return grant.token
    }

    /// Logs out: removes the token here and from the store, then revokes it at the server if the source logs people in
    /// (RFC 7009).
    ///
    /// The refresh token is revoked, and with it what it was for; a token without one is revoked itself. A server
    /// without an endpoint for it is not asked.
    ///
    /// - Throws: ``RestClientError`` if the server could not be told. The token is removed in any case.
    public func logOut() async throws {
        let source = inside(.current)
        var last: AccessToken?
        source.replace { state in
            last = state.machine.token
            return state.machine.replace(with: nil, known: Date())
        }
        source.keep()
        try await renewal.revoke?(last)
    }

    /// Marks the token as expired, so that it is refreshed before its next use.
    public func invalidate() {
        inside(.current).state.withLock { $0.machine.invalidate() }
    }
}

// MARK: - Waiting

extension TokenSource {
    var latest: TokenGrant? {
        state.withLock { state in state.machine.token.map { state.grant(of: $0) } }
    }

    /// Records that a server has accepted a token; a later rejection then means that it has expired.
    func accept(_ token: AccessToken) {
        state.withLock { $0.machine.accept(token.value) }
    }

    package func waitForWaiters(count: Int) async {
        let source = inside(.current)
        await withCheckedContinuation { continuation in
            source.state.withLock { $0.waiters.watch(for: count, continuation) }
        }
    }

    func usable(refusing refused: String? = nil, now: Date) -> TokenGrant? {
        state.withLock { state in
            state.machine.usable(refusing: refused, now: now).map { state.grant(of: $0) }
        }
    }

    /// Returns a token, immediately if possible; `nil` if the rejection is final.
    func grant(
        refusing refused: String? = nil,
        tells: Bool = false,
        now: @escaping @Sendable () -> Date
    ) async throws -> TokenGrant? {
        if let grant = usable(refusing: refused, now: now()) {
            return grant
        }
        guard !TokenRefreshScope.isOpen(for: origin ?? self) else {
            throw Self.failure("its refresh asked for it")
        }
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let outcome = await Callers.wait { continuation in
            ask(as: id, refusing: refused, tells: tells, now, continuation)
        } onCancel: {
            leave(id)
        }
        return try outcome.get()
    }

    private func ask(
        as id: WaiterID,
        refusing refused: String?,
        tells: Bool,
        _ now: @escaping @Sendable () -> Date,
        _ continuation: Callers.Continuation
    ) -> Result<TokenGrant?, any Error>? {
        let time = now()
        // The flag is read under the lock: if it is set later, the waiter is found; if it was set before, it is seen
        // here.
        let (outcome, begins) = state.withLock { state -> (Result<TokenGrant?, any Error>?, RefreshID?) in
            guard !Task.isCancelled else {
                return (.failure(CancellationError()), nil)
            }
            switch state.machine.ask(as: id, refusing: refused, now: time) {
            case .use(let token):
                return (.success(state.grant(of: token)), nil)
            case .giveUp:
                return (.success(nil), nil)
            case .wait(let begins):
                if tells {
                    state.tellers.insert(id)
                }
                return (state.waiters.park(id, continuation), begins)
            }
        }
        if let begins {
            begin(begins, now)
        }
        return outcome
    }

    private func leave(_ id: WaiterID) -> Callers.Wakeup? {
        let (wakeup, work) = state.withLock { state in
            let isLast = state.machine.leave(id)
            state.tellers.remove(id)
            return (state.waiters.withdraw(id, with: .failure(CancellationError())), isLast ? state.work : nil)
        }
        work?.cancel()
        return wakeup
    }

    /// Sets another token by a closure that returns the waiters to resume, or `nil` if it sets none.
    func replace(_ change: (inout State) -> [WaiterID]?) {
        let (wakeups, work) = state.withLock { state -> ([Callers.Wakeup], Task<Void, Never>?) in
            let old = state.machine.token
            guard let waiters = change(&state) else {
                return ([], nil)
            }
            state.revision += 1
            let outcome = Self.outcome(of: state.machine.token, replacing: old, in: state.machine.session)
            return (state.wake(waiters, with: outcome), state.machine.isCancelled ? state.work : nil)
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        work?.cancel()
    }

    private static func outcome(
        of token: AccessToken?,
        replacing old: AccessToken?,
        in session: UInt64
    ) -> Result<TokenGrant, any Error> {
        guard let token else {
            return .failure(failure("it was removed in the meantime"))
        }
        guard old?.isOfAnotherUser(than: token.user) != true else {
            return .failure(failure("another user's token was set in the meantime"))
        }
        return .success(TokenGrant(token: token, session: session))
    }
}

// MARK: - Refreshing

extension TokenSource {
    private func begin(_ id: RefreshID, _ now: @escaping @Sendable () -> Date) {
        func start() -> Task<Void, Never> { Task { await run(now) } }
        // A call that leaves its scope asks the server, and the refresh must not ask a dummy.
        let leaves = origin == nil && CallIsolation.current != nil
        let work = leaves ? CallIsolation.startOutside(start) : start()
        let isUnwanted = state.withLock { state in
            // It may already have ended.
            guard state.machine.refreshID == id else {
                return false
            }
            state.work = work
            return state.machine.isCancelled
        }
        if isUnwanted {
            work.cancel()
        }
    }

    private func run(_ now: @escaping @Sendable () -> Date) async {
        let result: Result<RenewedToken, any Error>
        var lease: ReleaseOnce?
        do {
            lease = try await beginTurn(now)
            // Another process may have refreshed the token, or removed it.
            guard state.withLock({ $0.machine.awaitsToken }) else {
                throw CancellationError()
            }
            let old = latest?.token
            result = .success(try await TokenRefreshScope.run(of: origin ?? self) { try await renewal.renew(old) })
        } catch let error as RestClientError where error.code == .loginRequired {
            result = .failure(error)
        } catch {
            result = .failure(Self.failure("see the underlying error", underlying: error))
        }
        let (wakeups, next) = conclude(with: result, now)
        lease?.release()
        for wakeup in wakeups {
            wakeup.resume()
        }
        if let next {
            begin(next, now)
        }
    }

    static func failure(_ reason: String, underlying: (any Error)? = nil) -> RestClientError {
        RestClientError(
            .tokenRefreshFailed,
            "the access token could not be refreshed: \(reason)",
            underlying: underlying
        )
    }
}
