// SPDX-License-Identifier: MIT

import Crypto
import Dispatch
import RestEssentials
public import SharedStore
import Synchronization

extension TokenSource {
    /// Keeps the tokens of the source in shared data, sealed, from now on.
    ///
    /// ```swift
    /// try session.keep(in: manager.sharedData, as: "store session", sealedWith: key)
    /// ```
    ///
    /// If the source has no token, it takes the one that is stored. Each new token is stored: one that was set, and one
    /// of a refresh; setting ``current`` to `nil` removes it. A token that another process stores becomes the current
    /// one of this source, so that processes share a session: the one that was stored last is that of all.
    ///
    /// One of the processes refreshes at a time; the others wait for its token, for up to half a minute if it does not
    /// respond. The token of a refresh is dropped if another process has set or removed the token meanwhile, and a
    /// refresh that failed is not an error if another process has stored a new one.
    ///
    /// The source lives on while the store fails: it then has tokens that the store does not.
    ///
    /// - Parameters:
    ///   - data: The shared data; it is kept alive by the source.
    ///   - name: The name of the value. Each source needs a different one: sources with the same name share their
    ///     tokens, and would send those of one server to another.
    ///   - key: The key that seals the token.
    ///   - previous: Other keys, whose tokens are read and sealed again.
    ///   - onFailure: Takes the error if a token cannot be stored; ignored by default.
    /// - Throws: `StoreError` if the stored token cannot be read or opened. The source is unchanged then.
    public func keep(
        in data: SharedData,
        as name: String,
        sealedWith key: SealingKey,
        previous: [SealingKey] = [],
        onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) throws(StoreError) {
        let place = SharedKey<AccessToken>(name, codec: .sealed(key, previous: previous))
        let stored = try data.latest(place)
        let source = inside(.current)
        let observation = data.observe(place) { [weak source] change in
            if change.error == nil {
                source?.follow { Date() }
            }
        }
        let keeping = TokenKeeping(data: data, place: place, onFailure: onFailure, observation: observation)
        source.state.withLock { state in
            state.keeping = keeping
            // The token that the source has wins over the stored one.
            let hasToken = state.machine.token != nil
            state.storedToken = hasToken ? stored : nil
            state.storedRevision = state.revision
            state.revision += hasToken ? 1 : 0
        }
        source.keep()
        source.follow { Date() }
    }

    // MARK: - One order for both places

    /// Stores the latest token, unless that is done already: one thread at a time, for all changes until it has
    /// finished, those of observers that it calls among them.
    func keep() {
        while let keeping = state.withLock({ $0.mustStore ? $0.keeping : nil }), keeping.inTurn({ store(in: keeping) })
        {}
    }

    private func store(in keeping: TokenKeeping) {
        while true {
            let change = state.withLock { state in
                state.mustStore ? (token: state.machine.token, revision: state.revision) : nil
            }
            guard let change else {
                return
            }
            let isStored = keeping.store(change.token)
            state.withLock { state in
                state.storedRevision = change.revision
                if isStored { state.storedToken = change.token }
            }
        }
    }

    private func follow(_ now: () -> Date) {
        guard let keeping = state.withLock({ $0.keeping }) else {
            return
        }
        _ = keeping.inTurn { follow(keeping, now) }
        // What was set meanwhile.
        keep()
    }

    /// - Returns: False if the store cannot be read.
    @discardableResult private func follow(_ keeping: TokenKeeping, _ now: () -> Date) -> Bool {
        guard let stored = keeping.read() else {
            return false
        }
        replace { state in
            // A change that is not stored yet is later than what is.
            guard !state.mustStore, stored != state.storedToken else {
                return nil
            }
            state.storedToken = stored
            guard stored != state.machine.token else {
                return nil
            }
            state.storedRevision = state.revision + 1
            return state.machine.adopt(stored, now: now())
        }
        return true
    }

    // MARK: - Refreshes of several processes

    /// Waits until no other process refreshes the token, and takes the one that it has stored; no turn without a file.
    func beginTurn(_ now: @escaping @Sendable () -> Date) async throws -> ReleaseOnce? {
        guard let keeping = state.withLock({ $0.keeping }) else {
            return nil
        }
        let lease = try await keeping.lease()
        follow(now)
        return lease
    }

    /// Ends the refresh with a new token, if that can replace the old one in the store; otherwise with what another
    /// process has stored meanwhile.
    func conclude(
        with result: Result<RenewedToken, any Error>,
        _ now: () -> Date
    ) -> (wakeups: [Callers.Wakeup], begins: RefreshID?) {
        func settle() -> (wakeups: [Callers.Wakeup], begins: RefreshID?) {
            state.withLock { $0.settle(result, now: now()) }
        }
        guard let keeping = state.withLock({ $0.keeping }) else {
            return settle()
        }
        var settlement: (wakeups: [Callers.Wakeup], begins: RefreshID?)?
        _ = keeping.inTurn {
            let known = state.withLock { state in
                state.machine.awaitsToken && !state.mustStore ? (state.machine.token, state.storedToken) : nil
            }
            if let (old, stored) = known, case .success(let token) = result {
                let fresh = token.succeeding(old)
                switch keeping.exchange(stored, for: fresh) {
                case .stored:
                    settlement = state.withLock { state in
                        let before = state.revision
                        let settlement = state.settle(result, now: now())
                        state.storedToken = fresh
                        // A change that came meanwhile is stored after this one.
                        if state.revision == before + 1, state.machine.token == fresh {
                            state.storedRevision = state.revision
                        }
                        return settlement
                    }
                case .refused:
                    if !follow(keeping, now) {
                        let error = Self.failure("its store has another token, which cannot be read")
                        settlement = state.withLock { $0.settle(.failure(error), now: now()) }
                    }
                case .failed: break
                }
            } else if known != nil {
                follow(keeping, now)
            }
            if settlement == nil { settlement = settle() }
            store(in: keeping)
        }
        let settled = settlement ?? settle()
        keep()
        return settled
    }
}

final class TokenKeeping: Sendable {
    enum Exchange {
        case stored
        case refused
        case failed
    }

    /// Marks code that has the turn of a place, in which observers may change the token.
    private static let turns = TaskScope<TokenKeeping>(endsWithOperation: true)

    /// The longest wait for another thread that stores, which may wait for an observer that waits for this one.
    private static let turnLimit = DispatchTimeInterval.seconds(10)
    /// The longest wait for another process that refreshes.
    private static let leaseLimit: Duration = .seconds(30)

    private let data: SharedData
    private let place: SharedKey<AccessToken>
    private let onFailure: @Sendable (any Error) -> Void
    private let observation: ObservationToken
    private let turn = DispatchSemaphore(value: 1)

    init(
        data: SharedData,
        place: SharedKey<AccessToken>,
        onFailure: @escaping @Sendable (any Error) -> Void,
        observation: ObservationToken
    ) {
        self.data = data
        self.place = place
        self.onFailure = onFailure
        self.observation = observation
    }

    /// Runs code that stores or reads the token while no other thread does.
    ///
    /// - Returns: False if the code was not run, because the thread that has the turn will do its work: this one is an
    ///   observer that was called by it, or does not end.
    func inTurn(_ body: () -> Void) -> Bool {
        guard Self.turns.innermost(where: { $0 === self }) == nil,
            turn.wait(timeout: .now() + Self.turnLimit) == .success
        else {
            return false
        }
        defer { turn.signal() }
        Self.turns.open(self, operation: body)
        return true
    }

    /// Reads the token, which may be none; `nil` if it cannot be read.
    func read() -> AccessToken?? {
        do {
            return .some(try data.latest(place))
        } catch {
            return nil
        }
    }

    /// Stores a token, or removes it if it is `nil`; returns false if the store failed.
    func store(_ token: AccessToken?) -> Bool {
        do {
            if let token {
                if try data.latest(place) != token {
                    try data.set(token, for: place)
                }
            } else {
                try data.remove(place)
            }
            return true
        } catch {
            onFailure(error)
            return false
        }
    }

    /// Replaces the stored token by that of a refresh, if it is the expected one.
    func exchange(_ expected: AccessToken?, for token: AccessToken) -> Exchange {
        do {
            return try data.compareAndSet(place, expected: expected, new: token) ? .stored : .refused
        } catch {
            onFailure(error)
            return .failed
        }
    }

    /// Waits for the right to refresh the token, which ends with the process at the latest; `nil` for values in memory,
    /// and if another process has had it for too long.
    func lease() async throws -> ReleaseOnce? {
        guard let file = data.file else {
            return nil
        }
        let digest = SHA256.hash(data: Data(place.name.utf8)).prefix(8)
        let path = "\(file.path).refresh-\(Hexadecimal.text(digest))"
        let deadline = ContinuousClock.now + Self.leaseLimit
        while true {
            do throws(StoreError) {
                if let lock = try FileLock.acquire(path) {
                    return ReleaseOnce { lock.release() }
                }
            } catch {
                // Where files cannot be locked, each process refreshes for itself.
                return nil
            }
            guard ContinuousClock.now < deadline else {
                return nil
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
