// SPDX-License-Identifier: MIT

package protocol JobSpan: Sendable {
    /// Does work in which the span is the current one of the task.
    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value

    func end(_ end: TracedWork.End)
}

extension Optional where Wrapped == any JobSpan {
    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        guard let span = self else {
            return try await work()
        }
        return try await span.surround(work)
    }
}
