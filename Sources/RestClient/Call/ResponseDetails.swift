// SPDX-License-Identifier: MIT

import RestEssentials

/// The properties of a response except its model.
struct ResponseDetails: Sendable {
    var raw: RawResponse
    let callID: CallID
    let attempts: Int
    let duration: Duration
    /// The time of day at which the call began.
    let startedAt: Date
    let origin: ResponseOrigin
    var cache = CacheExplanation.notAsked
    /// The fallback that replaced a failure; `nil` if the response is the server's, or the cache's as usual.
    var fallback: Fallback?

    /// The timings of the call; `nil` when it failed before it had a request.
    var timings: CallTimings? { origin.timings }
}
