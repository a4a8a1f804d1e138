// SPDX-License-Identifier: MIT

import Synchronization

/// The spans of a run and of its nodes under way; a request in a group has none, because its call has one.
final class RunSpans: Sendable {
    private let tracer: any JobTracer
    private let groupID: GroupID
    private let open = Mutex<[Int: any JobSpan]>([:])

    init(_ tracer: any JobTracer, of groupID: GroupID) {
        self.tracer = tracer
        self.groupID = groupID
    }

    func begin(_ name: String, _ kind: TracedWork.Kind) -> any JobSpan {
        tracer.begin(TracedWork(name: name, kind: kind, groupID: groupID))
    }

    /// Begins the span of a node, which ``end(_:_:)`` ends; `nil` if the node has none.
    func begin(_ node: Int, of program: GraphProgram) -> (any JobSpan)? {
        let member = program.member?(node)
        let kind = member?.kind ?? program.kind(of: node)
        guard kind != (member == nil ? .input : .request) else {
            return nil
        }
        let span = begin(member?.name ?? program.name(of: node), .node(RunReport.Kind(kind)))
        open.withLock { $0[node] = span }
        return span
    }

    /// Ends the span of a node; one that has none, or whose span has ended, is ignored.
    func end(_ node: Int, _ end: @autoclosure () -> TracedWork.End) {
        if let span = open.withLock({ $0.removeValue(forKey: node) }) {
            span.end(end())
        }
    }
}
