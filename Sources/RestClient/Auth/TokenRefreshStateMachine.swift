// SPDX-License-Identifier: MIT

import RestEssentials

/// Decides who gets which token, who waits, and when a refresh begins and ends: pure, without lock, clock or work.
///
/// One refresh at most is under way, even while one that nobody waits for any more winds down: two at once could spend the
/// same refresh token twice, which servers take for theft.
struct TokenRefreshStateMachine {
    typealias WaiterID = UInt64
    typealias RefreshID = UInt64

    /// What becomes of someone who asks for a token.
    enum Answer: Equatable {
        /// The token will do.
        case use(AccessToken)
        /// Waits; first the refresh of that number has to be begun, if there is one.
        case wait(begins: RefreshID?)
        /// Refused tokens were refreshed so often lately that another one would be refused as well.
        case giveUp
    }

    /// What becomes of those who wait when a refresh has ended.
    struct Settlement: Equatable {
        /// Who is told of the outcome, in the order of arrival.
        var waiters: [WaiterID] = []
        /// The token that will do although no other one was to be had.
        var fallback: AccessToken?
        /// Another refresh that has to be begun, for those who still wait.
        var begins: RefreshID?
    }

    private struct Refresh {
        let id: RefreshID
        var waiters: Set<WaiterID> = []
        /// The server refused the token that is to be replaced.
        var isForRefusal = false
        /// Nobody waited any more, or what it brings is not wanted.
        var isCancelled = false
        /// Another token was set meanwhile.
        var isSuperseded = false
    }

    /// The latest token.
    private(set) var token: AccessToken?

    /// How often someone set the token: what refreshes make of it has the same number.
    private(set) var session: UInt64 = 0

    /// How long before its end a token is refreshed.
    private let leeway: TimeInterval

    /// How many refreshes refusals may bring in a minute: a server that refuses every token must not get one after the other.
    private static let refusalLimit = 3
    private static let refusalWindow: TimeInterval = 60

    /// When a refresh brought the token; `nil` when someone set it.
    private var obtained: Date?
    private var isInvalid = false
    private var refresh: Refresh?
    private var lastRefresh: RefreshID = 0

    /// When refusals brought a refresh lately.
    private var refusals: [Date] = []

    init(_ token: AccessToken?, leeway: Duration) {
        self.token = token
        self.leeway = max(0, leeway / .seconds(1))
    }

    /// The refresh under way, wanted or not.
    var refreshID: RefreshID? { refresh?.id }

    /// Whether the refresh under way is to be cancelled.
    var isCancelled: Bool { refresh?.isCancelled ?? false }

    /// The token that can be used without waiting.
    ///
    /// - Parameters:
    ///   - refused: The token that the server refused, if that is why one is asked for.
    ///   - now: The time of day.
    /// - Returns: The token; `nil` when there is none, it is (nearly) over, or it is about to be replaced.
    func usable(refusing refused: String?, now: Date) -> AccessToken? {
        guard let token, token.value != refused, !isInvalid, refresh?.isSuperseded ?? true, !isDue(token, now) else {
            return nil
        }
        return token
    }

    /// Someone asks for a token.
    mutating func ask(as id: WaiterID, refusing refused: String?, now: Date) -> Answer {
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
        if isRefused {
            // A clock that was set back makes old refusals look new: those do not count.
            refusals.removeAll { !(0..<Self.refusalWindow).contains(now.timeIntervalSince($0)) }
            guard refusals.count < Self.refusalLimit else {
                return .giveUp
            }
            refusals.append(now)
        }
        return .wait(begins: begin(for: [id], isForRefusal: isRefused))
    }

    /// Someone does not wait any more.
    ///
    /// - Returns: Whether the refresh is to be cancelled, because nobody else waits.
    mutating func leave(_ id: WaiterID) -> Bool {
        guard refresh?.waiters.remove(id) != nil, refresh?.waiters.isEmpty == true, refresh?.isCancelled == false else {
            return false
        }
        refresh?.isCancelled = true
        return true
    }

    /// The refresh has brought a token; it counts even if nobody waits for it any more.
    mutating func finish(_ fresh: AccessToken, now: Date) -> Settlement {
        guard let ended = refresh, !ended.isSuperseded else {
            return beginAgain()
        }
        token = fresh.succeeding(token)
        obtained = now
        isInvalid = false
        refresh = nil
        return Settlement(waiters: ended.waiters.sorted())
    }

    /// The refresh has failed; those who came after it was cancelled get another one.
    ///
    /// A token that was to be replaced only because its end is near does for those who waited.
    mutating func fail(now: Date) -> Settlement {
        guard let ended = refresh, !ended.isSuperseded, !ended.isCancelled else {
            return beginAgain()
        }
        refresh = nil
        let holds = !ended.isForRefusal && !isInvalid && token?.expiresAt.map { $0 > now } == true
        return Settlement(waiters: ended.waiters.sorted(), fallback: holds ? token : nil)
    }

    /// Someone sets the token; what is under way does not count any more.
    ///
    /// - Returns: Who waited for a token and need not any more.
    mutating func replace(with token: AccessToken?) -> [WaiterID] {
        self.token = token
        session += 1
        obtained = nil
        isInvalid = false
        refusals = []
        let waiters = refresh?.waiters.sorted() ?? []
        refresh?.waiters = []
        refresh?.isCancelled = true
        refresh?.isSuperseded = true
        return waiters
    }

    /// Someone knows that the token holds no longer, whatever it says of itself.
    mutating func invalidate() {
        isInvalid = true
    }

    private mutating func beginAgain() -> Settlement {
        let waiters = refresh?.waiters ?? []
        refresh = nil
        return Settlement(begins: waiters.isEmpty ? nil : begin(for: waiters))
    }

    private mutating func begin(for waiters: Set<WaiterID>, isForRefusal: Bool = false) -> RefreshID {
        lastRefresh += 1
        refresh = Refresh(id: lastRefresh, waiters: waiters, isForRefusal: isForRefusal)
        return lastRefresh
    }

    /// Whether a token ends so soon that it is refreshed first; one that lives shorter than the leeway gets half its life.
    private func isDue(_ token: AccessToken, _ now: Date) -> Bool {
        guard let end = token.expiresAt else {
            return false
        }
        let life = obtained.map { max(0, end.timeIntervalSince($0)) } ?? .infinity
        return end.timeIntervalSince(now) <= min(leeway, life / 2)
    }
}
