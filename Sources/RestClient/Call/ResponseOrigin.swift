// SPDX-License-Identifier: MIT

/// The call that a response or an error belongs to; the summary is made only when someone asks for it.
enum ResponseOrigin: Sendable {
    case context(CallContext)
    case unresolved(RequestSummary)

    var summary: RequestSummary {
        switch self {
        case .context(let context): context.summary
        case .unresolved(let summary): summary
        }
    }

    /// The options in force; none when the call never came to a request.
    var options: [CallOptionExplanation] {
        switch self {
        case .context(let context): context.options.explanations(in: context.policy.environment)
        case .unresolved: []
        }
    }

    /// The time that the parts of the call took so far; `nil` when it failed before it had a request.
    var timings: CallTimings? {
        switch self {
        case .context(let context): context.timings
        case .unresolved: nil
        }
    }
}
