// SPDX-License-Identifier: MIT

import Synchronization

/// A registered dummy: counts its calls, and can be removed.
///
/// Returned by ``DummyRegistry/register(_:)-(Dummy)``. The dummy stays registered even if this value is discarded.
public final class DummyResponder: Sendable, CustomStringConvertible {
    /// Identifies the dummy.
    public let id: DummyID

    /// The description that was registered.
    public let dummy: Dummy

    private weak let registry: DummyRegistry?
    private let calls = Atomic<Int>(0)

    init(_ dummy: Dummy, registry: DummyRegistry) {
        self.id = .next()
        self.dummy = dummy
        self.registry = registry
    }

    /// The number of requests that the dummy was chosen for, since it was registered or its registry was last reset.
    public var callCount: Int {
        calls.load(ordering: .relaxed)
    }

    /// Removes the dummy.
    ///
    /// Calls that are under way still get their response. Removing it again has no effect.
    public func remove() {
        registry?.remove(id)
    }

    /// The method, server and path, as in `GET store /users/{user}`, or the API, as in `API orders`.
    public var description: String { dummy.description }

    /// Call this under the registry's lock.
    func setCallCount(_ count: Int) {
        calls.store(count, ordering: .relaxed)
    }
}
