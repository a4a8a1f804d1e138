// SPDX-License-Identifier: MIT

import Synchronization

/// A node of a graph without the types of its inputs and of its output.
package struct JobNode: Sendable {
    /// A number that is unique to this node in the process; it reveals handles of other graphs.
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
    /// Work that never suspends; it needs no task of its own.
    case immediate(@Sendable (NodeContext) throws -> any Sendable)
    /// Work that may suspend. It stays on its caller's executor, which is none: each change of executor takes a lock of
    /// the task.
    case suspending(@Sendable (NodeContext) async throws -> any Sendable)

    /// A Boolean value that is true if the work never suspends.
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
        /// Its success, with any result.
        case success
        /// Its end, with or without success.
        case end
        /// The result `true`.
        case truth
        /// The result `false`.
        case falsehood
    }

    package let from: Int32
    package let to: Int32
    let need: Need
}
