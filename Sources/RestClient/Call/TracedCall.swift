// SPDX-License-Identifier: MIT

/// A call that has begun, and has a span.
package protocol TracedCall: Sendable {
    /// Does work in which the span is the current one of the task.
    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value

    func end(_ end: TracedEnd)
}
