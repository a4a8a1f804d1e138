// SPDX-License-Identifier: MIT

import RestEssentials

/// Decides which token callers receive, which callers wait, and when a refresh begins and ends.
///
/// It is pure. At most one refresh is in progress, even while an abandoned one ends: two at once could use the same
/// refresh token twice, which servers treat as theft. Only tokens that are rejected on first use count towards the
/// limit of refreshes, once another token has replaced them; one that was accepted before has expired.
struct TokenRefreshStateMachine {
    typealias WaiterID = UInt64
    typealias RefreshID = UInt64

    enum Decision: Equatable {
        case use(AccessToken)
        /// The caller waits; if there is a number, the refresh with that number must be started first.
        case wait(begins: RefreshID?)
        /// Too many fresh tokens were rejected recently; the rejection is final.
        case giveUp
    }

    struct Settlement: Equatable {
        /// The waiters to resume, in the order of arrival.
        var waiters: [WaiterID] = []
        /// The old token, if it can still be used although the refresh failed.
        var fallback: AccessToken?
        /// Another refresh to start, for the remaining waiters.
        var begins: RefreshID?
    }

    private struct Refresh {
        let id: RefreshID
        var waiters: Set<WaiterID> = []
        var isForRefusal = false
        /// The time at which that token was rejected, if this was its first use.
        var firstUseRefusal: Date?
        /// No waiter is left, or the new token is not needed.
        var isCancelled = false
        /// Another token was set meanwhile.
        var isSuperseded = false
    }

    private(set) var token: AccessToken?

    /// The number of times the token was set, or a person has logged in; refreshes keep the number.
    private(set) var session: UInt64 = 0

    /// The time before its end at which a token is refreshed.
    private let leeway: TimeInterval

    /// The number of tokens rejected on first use that are replaced per minute, so that a server that rejects every
    /// token does not receive an endless series of them.
    private static let refusalLimit = 3
    private static let refusalWindow: TimeInterval = 60

    /// The time at which the token was issued by a refresh; `nil` if it was set.
    private var obtained: Date?
    /// The time from which the token's life is counted; `nil` for the first token, whose life began some time before.
    private var known: Date?
    private(set) var isAccepted = false
    private var lifetime = TokenLifetime()
    private var isInvalid = false
    private var refresh: Refresh?
    private var lastRefresh: RefreshID = 0

    private var refusals: [Date] = []

    init(_ token: AccessToken?, leeway: Duration) {
        self.token = token
        self.leeway = max(0, leeway / .seconds(1))
    }

    /// The refresh in progress, wanted or not.
    var refreshID: RefreshID? { refresh?.id }

    var isCancelled: Bool { refresh?.isCancelled ?? false }

    /// True if a refresh is in progress, and its token will be the next one.
    var awaitsToken: Bool { refresh?.isSuperseded == false }

    /// Returns the token if it can be used without waiting; `nil` if it has (nearly) expired, or is about to be
    /// replaced.
    func usable(refusing refused: String?, now: Date) -> AccessToken? {
        guard let token, token.value != refused, !isInvalid, refresh?.isSuperseded ?? true, !isDue(token, now) else {
            return nil
        }
        return token
    }

    mutating func accept(_ value: String) {
        if token?.value == value {
            isAccepted = true
        }
    }

    mutating func ask(as id: WaiterID, refusing refused: String?, now: Date) -> Decision {
        if let token = usable(refusing: refused, now: now) {
            return .use(token)
        }
        let isRefused = refused != nil && refused == token?.value
        guard refresh == nil else {
            refresh?.waiters.insert(id)
            if isRefused {
                refresh?.isForRefusal = true
            }
            return .wait(begins: nil)
        }
        if isRefused, isAccepted {
            if let obtained, token?.expiresAt == nil {
                lifetime.note(refusedAt: now.timeIntervalSince(obtained))
            }
        } else if isRefused {
            // A clock that was set back makes old rejections look new; those do not count.
            refusals.removeAll { !(0..<Self.refusalWindow).contains(now.timeIntervalSince($0)) }
            guard refusals.count < Self.refusalLimit else {
                return .giveUp
            }
            return .wait(begins: begin(for: [id], isForRefusal: true, firstUseRefusal: now))
        } else if let token, token.expiresAt == nil, let estimate = lifetime.estimate, isDue(token, now) {
            lifetime.note(replacedAhead: ahead(of: estimate))
        }
        return .wait(begins: begin(for: [id], isForRefusal: isRefused))
    }

    /// Removes a waiter; returns true if the refresh must be cancelled because no waiter is left.
    mutating func leave(_ id: WaiterID) -> Bool {
        guard refresh?.waiters.remove(id) != nil, refresh?.waiters.isEmpty == true, refresh?.isCancelled == false else {
            return false
        }
        refresh?.isCancelled = true
        return true
    }

    /// Ends the refresh with a new token, which is stored even if no waiter is left.
    mutating func finish(_ fresh: AccessToken, isOfLogin: Bool = false, now: Date) -> Settlement {
        guard let ended = refresh, !ended.isSuperseded else {
            return beginAgain()
        }
        if let refusal = ended.firstUseRefusal {
            refusals.append(refusal)
        }
        token = RenewedToken(token: fresh, isOfLogin: isOfLogin).succeeding(token)
        if isOfLogin {
            session += 1
            lifetime = TokenLifetime()
        }
        obtained = now
        known = now
        isAccepted = false
        isInvalid = false
        refresh = nil
        return Settlement(waiters: ended.waiters.sorted())
    }

    /// Ends the refresh with a failure, after which waiters use a token that only expires soon; callers that came after
    /// its cancellation get another refresh.
    mutating func fail(now: Date) -> Settlement {
        guard let ended = refresh, !ended.isSuperseded, !ended.isCancelled else {
            return beginAgain()
        }
        refresh = nil
        // An estimated end does not count until a server rejects the token.
        let isAlive = token?.expiresAt.map { $0 > now } ?? (isAccepted && lifetime.estimate != nil)
        let isUsable = isAlive && !ended.isForRefusal && !isInvalid
        return Settlement(waiters: ended.waiters.sorted(), fallback: isUsable ? token : nil)
    }

    /// Sets the token, whose life counts from `known` if it is new; the result of a refresh in progress is ignored.
    mutating func replace(with token: AccessToken?, known: Date?) -> [WaiterID] {
        self.token = token
        session += 1
        obtained = nil
        self.known = known
        isAccepted = false
        lifetime = TokenLifetime()
        isInvalid = false
        refusals = []
        let waiters = refresh?.waiters.sorted() ?? []
        refresh?.waiters = []
        refresh?.isCancelled = true
        refresh?.isSuperseded = true
        return waiters
    }

    /// Takes a token that another source has stored; a refresh in progress goes on from there if it has expired too.
    mutating func adopt(_ other: AccessToken?, now: Date) -> [WaiterID] {
        let ongoing = refresh.flatMap { $0.isSuperseded ? nil : $0 }
        let hasExpired = other?.expiresAt.map { $0 <= now } ?? false
        let isOfSameUser = token?.isOfAnotherUser(than: other?.user) != true
        // One that follows another has just been issued.
        let issued = token == nil ? nil : now
        var waiters = replace(with: other, known: issued)
        obtained = issued
        if let ongoing, hasExpired, isOfSameUser {
            refresh = ongoing
            waiters = []
        }
        return waiters
    }

    /// Marks the token as expired, regardless of its expiry.
    mutating func invalidate() {
        isInvalid = true
    }

    private mutating func beginAgain() -> Settlement {
        let waiters = refresh?.waiters ?? []
        refresh = nil
        return Settlement(begins: waiters.isEmpty ? nil : begin(for: waiters))
    }

    private mutating func begin(
        for waiters: Set<WaiterID>,
        isForRefusal: Bool = false,
        firstUseRefusal: Date? = nil
    ) -> RefreshID {
        lastRefresh += 1
        refresh = Refresh(
            id: lastRefresh,
            waiters: waiters,
            isForRefusal: isForRefusal,
            firstUseRefusal: firstUseRefusal
        )
        return lastRefresh
    }

    /// Returns the time before its end at which a token is refreshed: a tenth of its lifetime at most.
    private func ahead(of lifetime: TimeInterval) -> TimeInterval {
        min(leeway, lifetime / 10)
    }

    private func isDue(_ token: AccessToken, _ now: Date) -> Bool {
        let learned = lifetime.estimate.flatMap { estimate in obtained?.addingTimeInterval(estimate) }
        guard let end = token.expiresAt ?? learned else {
            return false
        }
        let life = known.map { max(0, end.timeIntervalSince($0)) } ?? .infinity
        return end.timeIntervalSince(now) <= ahead(of: life)
    }
}

/// Estimates the lifetime of tokens without an expiry, from the ages at which servers reject them.
///
/// One rejection may be a sign-out; two at similar ages indicate a lifetime. The estimate grows slightly with each
/// token that is replaced early, so that one that is too short recovers, at the price of an occasional rejection.
struct TokenLifetime: Equatable {
    private(set) var estimate: TimeInterval?

    private var lastAge: TimeInterval?

    /// Records that a token was rejected after it had been accepted.
    mutating func note(refusedAt age: TimeInterval) {
        guard age > 0 else {
            return
        }
        if let lastAge, (lastAge / 2...lastAge * 2).contains(age) {
            estimate = min(age, lastAge)
        } else {
            estimate = nil
        }
        lastAge = age
    }

    /// Records that a token was replaced before its estimated end.
    mutating func note(replacedAhead margin: TimeInterval) {
        estimate? += margin / 8
    }
}
