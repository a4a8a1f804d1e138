// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension CallContext {
    /// Facts about a call under way, each written by one stage and read by any.
    struct Facts: Sendable {
        /// Facts about the latest of the requests that a call sends one after the other; those that it sends beside
        /// them, or to a fallback, have separate facts.
        struct Request: Sendable {
            /// The credential that selects the stored responses of the call; `nil` without a token source.
            var identity: SentCredential?

            var sent: SentCredential?

            /// The values of header providers that the cache lookup needed; the first attempt sends them.
            var provided: HTTPFields?

            /// The redirects that the latest attempt followed.
            var redirects: [RedirectHop] = []

            /// The header fields of the latest request after the attempt interceptors; `nil` when nothing was sent.
            var wire: HTTPFields?

            /// The failure of the last exchange; `nil` if its status was below 400, or if there was no exchange.
            var lastFailure: RestClientError?

            /// The facts with which a request beside this one begins.
            var unsent: Request { Request(identity: identity, sent: sent, provided: provided) }
        }

        private var first = Request()
        private var others: [Request] = []
        /// The place of the request that is read and changed: zero for the first one.
        private var place = 0

        /// The user as whom the call first got a token, for each of its token sources that name users.
        var users: [ObjectIdentifier: String] = [:]

        /// The number of unsafe requests that had an effect, or may have had one.
        ///
        /// It is counted where requests are sent, so it does not depend on how interceptors and handlers change the
        /// outcome.
        var unsafeCount = 0

        /// The number of those with the idempotency key of the call, whose effect is not repeated with the request.
        private var keyedCount = 0

        /// The number of those whose effect would be repeated.
        var unkeyedCount: Int { unsafeCount - keyedCount }

        /// The idempotency key of the call; `nil` as long as it has none.
        var idempotencyKey: HTTPField?

        /// The unusual events of the call, in sentences without their full stops.
        var story: [String] = []

        var request: Request {
            _read {
                if place == 0 { yield first } else { yield others[place - 1] }
            }
            _modify {
                if place == 0 { yield &first } else { yield &others[place - 1] }
            }
        }

        mutating func move(to place: Int) {
            self.place = place
        }

        mutating func add(_ request: Request) -> Int {
            others.append(request)
            return others.count
        }

        /// Removes and returns the values of header providers for one attempt; further ones call the providers again.
        mutating func takeProvided() -> HTTPFields? {
            defer { request.provided = nil }
            return request.provided
        }

        mutating func begin(_ sent: OutgoingRequest, isUnsafe: Bool) {
            request.wire = sent.headers
            request.redirects = []
            unsafeCount += isUnsafe ? 1 : 0
            keyedCount += isUnsafe && isKeyed ? 1 : 0
        }

        /// Records the end of a request; returns true if it is unsafe and had no effect.
        mutating func end(_ result: Result<RawResponse, any Error>, isUnsafe: Bool) -> Bool {
            let hadNoEffect = isUnsafe && hadNoEffect(result)
            unsafeCount -= hadNoEffect ? 1 : 0
            keyedCount -= hadNoEffect && isKeyed ? 1 : 0
            switch result {
            case .success(let response):
                request.lastFailure =
                    response.status.code < 400 ? nil : RestClientError(.unacceptableStatus, "", response: response)
            case .failure(let error):
                request.lastFailure = error as? RestClientError
            }
            return hadNoEffect
        }

        /// True if the latest request was sent with the idempotency key of the call.
        var isKeyed: Bool { idempotencyKey != nil && hasKey(request.wire ?? [:]) }

        func hasKey(_ headers: HTTPFields) -> Bool {
            guard let idempotencyKey else {
                return false
            }
            return headers[idempotencyKey.name] == idempotencyKey.value
        }

        /// True if the server acted on the latest unsafe request and redirected to its result: what comes after that
        /// says nothing about the request.
        var hasEndedUnsafeRequest: Bool { request.redirects.contains(where: \.endsUnsafeRequest) }

        /// Returns true if the latest request, which is unsafe, had no effect.
        func hadNoEffect(_ result: Result<RawResponse, any Error>) -> Bool {
            !hasEndedUnsafeRequest && RequestEffect.isNone(result)
        }

        /// Adds the effect of an equal call's request, whose result this call received.
        mutating func adopt(effectOf other: Facts) {
            request.redirects = other.request.redirects
            request.lastFailure = other.request.lastFailure
            unsafeCount += other.unsafeCount
        }
    }
}

/// The credential of a token source as a call sends it.
struct SentCredential: Sendable, Equatable {
    /// The header field that carries it, with its whole value.
    let field: HTTPField.Name
    let value: String

    /// The user of the credential, if the source names one.
    let user: String?

    /// The sign-in; all tokens that refreshes produce from one token belong to the same user.
    let session: UInt64

    /// Returns true if both are known to belong to the same user.
    func hasUser(of other: SentCredential) -> Bool {
        guard let user, let otherUser = other.user else {
            return session == other.session
        }
        return user == otherUser
    }
}

/// A redirect that was followed on the way to a response.
struct RedirectHop: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let time: Date
    /// True if the server had acted on an unsafe request, because it redirects with a GET to the result.
    ///
    /// The responses that follow are about that GET.
    var endsUnsafeRequest = false
    /// True if it led from `https` to `http`.
    var leavesEncryption = false
    /// True if it led to another server than that of the call.
    var leavesServer = false
}
