// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

/// What travels with a request that the cache deals with, beside the request itself.
final class CacheTicket: Sendable {
    private struct State {
        var provided: HTTPFields?
        var wire: HTTPFields?
        var hops: [RedirectHop] = []
        var identity: TokenGrant?
        var sent: TokenGrant?
    }

    /// Sees whether a response can be decoded.
    let probe: AnswerProbe

    /// Takes a stored response ahead of the server's; `nil` when the call has no use for it.
    let takeEarly: (@Sendable (RawResponse) async -> Void)?

    private let state = Mutex(State())

    init(probe: AnswerProbe, takeEarly: (@Sendable (RawResponse) async -> Void)? = nil) {
        self.probe = probe
        self.takeEarly = takeEarly
    }

    /// Hands on what header providers gave, so that the first attempt need not ask them again.
    func provide(_ headers: HTTPFields) {
        state.withLock { $0.provided = headers }
    }

    /// What header providers gave, for one attempt.
    func takeProvided() -> HTTPFields? {
        state.withLock { state in
            defer { state.provided = nil }
            return state.provided
        }
    }

    /// Notes the fields as they leave the attempt interceptors.
    func noteWire(_ headers: HTTPFields) {
        state.withLock { $0.wire = headers }
    }

    /// The fields as they left the attempt interceptors last; `nil` when there are no such interceptors.
    var wire: HTTPFields? { state.withLock { $0.wire } }

    /// Notes whose stored responses are looked at.
    func begin(as grant: TokenGrant) {
        state.withLock { $0.identity = grant }
    }

    /// Notes the token that goes out.
    func note(_ grant: TokenGrant) {
        state.withLock { $0.sent = grant }
    }

    /// The token that says whose stored responses are looked at; `nil` when no source gives one.
    var identity: TokenGrant? { state.withLock { $0.identity } }

    /// The token that went out last.
    var sent: TokenGrant? { state.withLock { $0.sent } }

    /// Forgets the redirects of an earlier try.
    func beginHops() {
        state.withLock { $0.hops.removeAll() }
    }

    /// Notes a redirect that is followed.
    func note(_ hop: RedirectHop) {
        state.withLock { $0.hops.append(hop) }
    }

    /// The redirects that were followed in the last attempt.
    var hops: [RedirectHop] { state.withLock { $0.hops } }
}
