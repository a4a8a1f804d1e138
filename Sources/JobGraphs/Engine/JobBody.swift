// SPDX-License-Identifier: MIT

enum JobBody: Sendable {
    /// Work that never suspends; it needs no task of its own.
    case immediate(@Sendable (NodeContext) throws -> any Sendable)
    /// Work that may suspend. It stays on its caller's executor, which is none: each change of executor takes a lock of
    /// the task.
    case suspending(@Sendable (NodeContext) async throws -> any Sendable)

    var isImmediate: Bool {
        if case .immediate = self { true } else { false }
    }
}
