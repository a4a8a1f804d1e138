// SPDX-License-Identifier: MIT

import HTTPTypes

/// Facts of a call under way: each is written by one stage, and may be read by all.
struct CallFacts: Sendable {
    /// The credential that tells whose stored responses the call may use; `nil` when no token source gives one.
    var identity: SentCredential?

    /// The credential that was sent last.
    var sent: SentCredential?

    /// The values of header providers that were asked for before the cache was; the first attempt sends them.
    var provided: HTTPFields?

    /// The redirects that the latest attempt followed.
    var redirects: [RedirectHop] = []

    /// The header fields of the latest request as it left the attempt interceptors; `nil` when nothing was sent.
    var wire: HTTPFields?

    /// The effect that the call's requests may have had on the server.
    var effect = RequestEffect()

    /// Returns the values of header providers for one attempt; further attempts ask the providers again.
    mutating func takeProvided() -> HTTPFields? {
        defer { provided = nil }
        return provided
    }

    /// Notes that a request leaves.
    mutating func begin(_ request: OutgoingRequest, isUnsafe: Bool) {
        wire = request.headers
        redirects = []
        effect.begin(isUnsafe: isUnsafe)
    }

    /// Takes over what was learnt under another call that stood for this one.
    mutating func adopt(_ other: CallFacts) {
        guard other.wire != nil else {
            return
        }
        var effect = effect
        effect.adopt(other.effect)
        self = other
        self.effect = effect
    }
}
