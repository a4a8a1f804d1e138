// SPDX-License-Identifier: MIT

package import HTTPTypes
package import JobGraphs

/// Makes spans of calls and of their attempts.
///
/// A manager without a tracer makes none, which costs an atomic read for each call and each attempt.
package protocol CallTracer: Sendable {
    /// Begins the span of a call, as a child of the current task's span; the caller ends it exactly once.
    func begin(_ id: CallID, _ groupID: GroupID?, _ request: RequestSummary) -> any TracedCall

    var attempts: any Interceptor { get }
}

extension CallTracer {
    func begin(_ call: CallContext) -> any TracedCall {
        begin(call.id, call.groupID, call.summary)
    }
}

package protocol TracedCall: Sendable {
    /// Does work in which the span is the current one of the task.
    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value

    func end(_ end: TracedEnd)
}

package struct TracedEnd: Sendable {
    package enum Outcome: Sendable {
        /// It ended with a model from this source, or with the end of its body.
        case success(ResponseSource)
        /// It ended with this error, as it was before handlers and mappers replaced it.
        case failure(any Error)
    }

    package let outcome: Outcome

    /// The status of the response; `nil` if there was none.
    package let status: HTTPResponse.Status?

    package let attempts: Int
}

extension TracedEnd {
    static func success(_ status: HTTPResponse.Status, _ source: ResponseSource, attempts: Int) -> TracedEnd {
        switch source {
        case .resultHandler, .fallback: TracedEnd(outcome: .success(source), status: nil, attempts: attempts)
        case .network, .cache, .revalidatedCache, .dummy:
            TracedEnd(outcome: .success(source), status: status, attempts: attempts)
        }
    }

    static func failure(_ error: any Error, attempts: Int) -> TracedEnd {
        let known = ErrorOrigin.first(RestClientError.self, behind: error)
        return TracedEnd(outcome: .failure(error), status: known?.status, attempts: attempts)
    }
}
