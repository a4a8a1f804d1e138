// SPDX-License-Identifier: MIT

import Synchronization

/// Dummies that only the task which opened the scope sees, and the tasks that it starts.
final class DummyScope: Sendable {
    /// The innermost scope of the task.
    @TaskLocal static var current: DummyScope?

    /// Whether there ever was a scope: as long as there was none, calls need not look for one.
    private static let wereOpened = Atomic<Bool>(false)

    /// The scope's own dummies.
    let registry: DummyRegistry

    /// Keeps what the scope's calls store in a cache apart from everything else.
    let cachePartition: String

    /// The parts of the manager that the scope is for; `nil` for every manager.
    private let core: ClientCore?

    private let outer: DummyScope?

    /// Makes a scope within the task's innermost one.
    init(_ registry: DummyRegistry, core: ClientCore?) {
        self.registry = registry
        self.core = core
        outer = Self.current
        cachePartition = "dummies:" + String(UInt64.random(in: 0 ... .max), radix: 36)
        Self.wereOpened.store(true, ordering: .releasing)
    }

    /// The innermost scope of the task that is for a manager.
    static func innermost(for core: ClientCore) -> DummyScope? {
        guard wereOpened.load(ordering: .acquiring) else {
            return nil
        }
        var scope = current
        while let candidate = scope, !candidate.isFor(core) {
            scope = candidate.outer
        }
        return scope
    }

    /// The registries of the scope and of those around it that are for the same manager, innermost first.
    func registries(for core: ClientCore) -> [DummyRegistry] {
        var registries: [DummyRegistry] = []
        var scope: DummyScope? = self
        while let candidate = scope {
            if candidate.isFor(core) {
                registries.append(candidate.registry)
            }
            scope = candidate.outer
        }
        return registries
    }

    private func isFor(_ core: ClientCore) -> Bool {
        self.core.map { $0 === core } ?? true
    }
}
