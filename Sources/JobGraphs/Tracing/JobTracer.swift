// SPDX-License-Identifier: MIT

/// Makes spans of groups, of runs of graphs, and of the work in them.
///
/// A runtime without a tracer makes none, which costs one look for it in each run.
package protocol JobTracer: Sendable {
    /// Begins a span, as a child of the current task's span, which the caller ends exactly once.
    func begin(_ work: TracedWork) -> any JobSpan
}
