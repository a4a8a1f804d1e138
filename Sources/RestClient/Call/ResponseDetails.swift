// SPDX-License-Identifier: MIT

/// The properties of a response except its model.
struct ResponseDetails: Sendable {
    var raw: RawResponse
    let callID: CallID
    let attempts: Int
    let duration: Duration
    let origin: ResponseOrigin
    /// The cache's decisions about the call.
    var cache = CacheExplanation.notAsked

    /// The timings of the call; `nil` when it failed before it had a request.
    var timings: CallTimings? { origin.timings }
}
