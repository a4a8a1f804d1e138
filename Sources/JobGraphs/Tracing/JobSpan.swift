// SPDX-License-Identifier: MIT

/// The span of work that has begun.
package protocol JobSpan: Sendable {
    /// Does work in which the span is the current one of the task.
    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value

    /// Ends the span.
    func end(_ end: TracedWork.End)
}

extension Optional where Wrapped == any JobSpan {
    /// Does work in which the span, if there is one, is the current one of the task.
    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        guard let span = self else {
            return try await work()
        }
        return try await span.surround(work)
    }
}
