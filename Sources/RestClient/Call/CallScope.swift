// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// A part of a program that ends the calls which were started in it.
final class CallScope: Sendable {
    /// The scopes of tasks.
    static let scopes = TaskScope<CallScope>()

    private let over = Atomic<Bool>(false)

    /// The scopes of the current task.
    static var current: [CallScope] { scopes.contents }

    /// A Boolean value that is true once the scope has ended: what is started late, by a task left behind, is
    /// cancelled at once.
    var isOver: Bool { over.load(ordering: .acquiring) }

    func end() {
        over.store(true, ordering: .releasing)
    }
}
