// SPDX-License-Identifier: MIT

/// What is known about a response, whatever its model is.
struct Answer: Sendable {
    var raw: RawResponse
    let callID: CallID
    let attempts: Int
    let duration: Duration
    let origin: ResponseOrigin

    /// What the call's time went into; `nil` when the call never came to a request.
    var timings: CallTimings? { origin.timings }
}

/// What is known of the call that a response or an error belongs to; the summary is made only when someone asks.
enum ResponseOrigin: Sendable {
    case context(CallContext)
    case unresolved(RequestSummary)

    var summary: RequestSummary {
        switch self {
        case .context(let context): context.summary
        case .unresolved(let summary): summary
        }
    }

    /// The options in force; `nil` when the call never came to a request.
    var options: CallOptions? {
        switch self {
        case .context(let context): context.options
        case .unresolved: nil
        }
    }

    /// What the call's time went into so far; `nil` when it never came to a request.
    var timings: CallTimings? {
        switch self {
        case .context(let context): context.timings
        case .unresolved: nil
        }
    }
}
