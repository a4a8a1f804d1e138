// SPDX-License-Identifier: MIT

import HTTPTypes

/// Facts about a call under way, each written by one stage and read by any.
struct CallFacts: Sendable {
    /// The credential that selects the stored responses of the call; `nil` without a token source.
    var identity: SentCredential?

    /// The credential that was sent last.
    var sent: SentCredential?

    /// The user as whom the call first got a token, for each of its token sources that name users.
    var users: [ObjectIdentifier: String] = [:]

    /// The values of header providers that the cache lookup needed; the first attempt sends them.
    var provided: HTTPFields?

    /// The redirects that the latest attempt followed.
    var redirects: [RedirectHop] = []

    /// The header fields of the latest request after the attempt interceptors; `nil` when nothing was sent.
    var wire: HTTPFields?

    /// The effect that the call's requests may have had on the server.
    var effect = RequestEffect()

    /// The unusual events of the call, in sentences without their full stops.
    var story: [String] = []

    /// Removes and returns the values of header providers for one attempt; further attempts call the providers again.
    mutating func takeProvided() -> HTTPFields? {
        defer { provided = nil }
        return provided
    }

    /// Records that a request is sent.
    mutating func begin(_ request: OutgoingRequest, isUnsafe: Bool) {
        wire = request.headers
        redirects = []
        effect.begin(isUnsafe: isUnsafe)
    }

    /// Records the end of a request.
    ///
    /// - Parameters:
    ///   - result: The result of its last exchange.
    ///   - isUnsafe: True if the request is unsafe.
    /// - Returns: True if the request is unsafe and had no effect.
    mutating func end(_ result: Result<RawResponse, any Error>, isUnsafe: Bool) -> Bool {
        let hadNoEffect = isUnsafe && hadNoEffect(result)
        effect.end(result, hadNoEffect: hadNoEffect)
        return hadNoEffect
    }

    /// A Boolean value that is true if the server acted on the latest unsafe request and redirected to its result: what
    /// comes after that says nothing about the request.
    var hasEndedUnsafeRequest: Bool { redirects.contains(where: \.endsUnsafeRequest) }

    /// Returns true if the latest request, which is unsafe, had no effect.
    ///
    /// - Parameter result: The result of its last exchange.
    /// - Returns: True if it had no effect.
    func hadNoEffect(_ result: Result<RawResponse, any Error>) -> Bool {
        !hasEndedUnsafeRequest && RequestEffect.isNone(result)
    }

    /// Forgets what concerns the requests of the call so far.
    mutating func forgetRequests() {
        redirects = []
        wire = nil
        effect = RequestEffect()
        story = []
    }

    /// Adds the effect of an equal call's request, whose result this call received.
    mutating func adopt(effectOf other: CallFacts) {
        redirects = other.redirects
        effect.adopt(other.effect)
    }

    /// Adds the facts of another call that was sent for this one.
    mutating func adopt(_ other: CallFacts) {
        let story = story + other.story
        defer { self.story = story }
        guard other.wire != nil else {
            return
        }
        var effect = effect
        effect.adopt(other.effect)
        self = other
        self.effect = effect
    }
}
