// SPDX-License-Identifier: MIT

/// The call to which a response or an error belongs; its summary is created on first use.
enum ResponseOrigin: Sendable {
    case context(CallContext)
    indirect case unresolved(RequestSummary)

    var summary: RequestSummary {
        switch self {
        case .context(let context): context.summary
        case .unresolved(let summary): summary
        }
    }

    /// Returns the story of the call; `nil` if the call never had a request.
    func story(end: String, cache: String?) -> String? {
        switch self {
        case .context(let context): CallStory.text(of: context, end: end, cache: cache)
        case .unresolved: nil
        }
    }

    /// The options in force; empty if the call never had a request.
    var options: [CallOptionExplanation] {
        switch self {
        case .context(let context): context.options.explanations(in: context.policy.environment)
        case .unresolved: []
        }
    }

    /// The timings of the call so far; `nil` when it failed before it had a request.
    var timings: CallTimings? {
        switch self {
        case .context(let context): context.timings
        case .unresolved: nil
        }
    }
}
