// SPDX-License-Identifier: MIT

/// The properties of a response besides its model.
struct ResponseDetails: Sendable {
    var raw: RawResponse
    let callID: CallID
    let attempts: Int
    let duration: Duration
    let origin: ResponseOrigin
    /// The cache's part in the call.
    var cache = CacheExplanation.notAsked

    /// The time that the parts of the call took; `nil` when the call failed before it had a request.
    var timings: CallTimings? { origin.timings }
}
