// SPDX-License-Identifier: MIT

import Synchronization

/// A table of named values that several tasks may read and change concurrently.
///
/// A value is looked up when a request is sent, not when it is described, so changing an alias affects every later
/// request. An unknown key never falls back to another one.
public final class Registry<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let entries: Mutex<[Key: Registered<Value>]>
    private let revision: RegistryRevision
    private let canonical: @Sendable (Key) -> Key

    init(
        _ entries: [Key: Value] = [:],
        revision: RegistryRevision = RegistryRevision(),
        canonical: @escaping @Sendable (Key) -> Key = { $0 }
    ) {
        self.entries = Mutex(entries.mapValues(Registered.init))
        self.revision = revision
        self.canonical = canonical
    }

    /// The value of a key; assigning `nil` removes the key.
    public subscript(key: Key) -> Value? {
        get { entries.withLock { $0[canonical(key)] }?.value }
        set {
            let registered = newValue.map(Registered.init)
            entries.withLock { $0[canonical(key)] = registered }
            revision.advance()
        }
    }

    /// All keys with their values at this moment.
    public var all: [Key: Value] {
        snapshot.mapValues(\.value)
    }

    var snapshot: [Key: Registered<Value>] {
        entries.withLock { $0 }
    }

    func removeAll() {
        entries.withLock { $0.removeAll() }
        revision.advance()
    }
}

/// A value of a registry, stored by reference, so that a lookup for each request does not copy all its parts.
final class Registered<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

final class RegistryRevision: Sendable {
    private let count = Atomic<UInt64>(0)

    var current: UInt64 { count.load(ordering: .acquiring) }

    func advance() {
        count.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}
