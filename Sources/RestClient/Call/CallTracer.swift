// SPDX-License-Identifier: MIT

package import JobGraphs

/// Makes spans of calls and of their attempts.
///
/// A manager without a tracer makes none, which costs an atomic read for each call and each attempt.
package protocol CallTracer: Sendable {
    /// Begins the span of a call, as a child of the current task's span; the caller ends it exactly once.
    func begin(_ id: CallID, _ groupID: GroupID?, _ request: RequestSummary) -> any TracedCall

    /// Sends each attempt within a span of its own.
    var attempts: any Interceptor { get }
}

extension CallTracer {
    func begin(_ call: CallContext) -> any TracedCall {
        begin(call.id, call.groupID, call.summary)
    }
}
