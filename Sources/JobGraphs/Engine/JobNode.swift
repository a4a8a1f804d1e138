// SPDX-License-Identifier: MIT

import Synchronization

package struct JobNode: Sendable {
    /// A number that is unique to this node in the process; it reveals handles of other graphs.
    let id: UInt64
    package let name: String
    package let kind: JobKind
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

enum JobBody: Sendable {
    /// Work that never suspends, and therefore needs no task.
    case immediate(@Sendable (NodeContext) throws -> any Sendable)
    /// Work that may suspend. It stays on its caller's executor, which is none: each change of executor takes a lock of
    /// the task.
    case suspending(@Sendable (NodeContext) async throws -> any Sendable)

    var isImmediate: Bool {
        if case .immediate = self { true } else { false }
    }
}
