// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// A scope of a program; the calls started in it are cancelled at its end.
final class CallScope: Sendable {
    static let scopes = TaskScope<CallScope>()

    private let over = Atomic<Bool>(false)

    static var current: [CallScope] { scopes.contents }

    /// A Boolean value that is true once the scope has ended: calls that a remaining task starts later are cancelled at
    /// once.
    var isOver: Bool { over.load(ordering: .acquiring) }

    func end() {
        over.store(true, ordering: .releasing)
    }
}
