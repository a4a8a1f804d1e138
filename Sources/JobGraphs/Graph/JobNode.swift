// SPDX-License-Identifier: MIT

import Synchronization

/// A node of a graph without the types of its inputs and of its output.
package struct JobNode: Sendable {
    /// A number that no other node of this process has; it tells handles of other graphs.
    let id: UInt64
    package let name: String
    package let kind: JobKind
    /// The type of the result, for the journal.
    let output: any Sendable.Type
    let body: JobBody

    private static let counter = Atomic<UInt64>(0)

    init<Output: Sendable>(name: String, kind: JobKind, output: Output.Type, body: JobBody) {
        id = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
        self.name = name
        self.kind = kind
        self.output = output
        self.body = body
    }
}

/// The work of a node.
enum JobBody: Sendable {
    /// Work that never waits; it needs no task of its own.
    case immediate(@Sendable (NodeContext) throws -> any Sendable)
    /// Work that may wait. It stays on its caller's executor, which is none: each change of one takes a lock of the
    /// task's.
    case suspending(@Sendable (NodeContext) async throws -> any Sendable)

    /// True if the work never waits.
    var isImmediate: Bool {
        if case .immediate = self { true } else { false }
    }
}

/// The kind of the node, as shown in drawings and reports.
package enum JobKind: Sendable {
    case input, request, local, job, graph, forEach, poll, condition, fallback

    /// The kind of a node that runs jobs of a type.
    init<Work: Job>(of type: Work.Type) {
        self = type is any RequestJob.Type ? .request : .job
    }
}

/// One node waits for another.
package struct JobEdge: Sendable {
    /// The part of the first node that the second one waits for.
    enum Need: UInt8, Sendable {
        /// Its result, which the second node receives.
        case value
        /// That it has done its work, with any result.
        case success
        /// That it has ended in any way.
        case end
        /// That its result is `true`.
        case truth
        /// That its result is `false`.
        case falsehood
    }

    package let from: Int32
    package let to: Int32
    let need: Need
}
