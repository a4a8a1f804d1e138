// SPDX-License-Identifier: MIT

import Synchronization

/// The table of API aliases; see ``RestClientManager/apis``.
public final class APIRegistry: Sendable {
    private let table = Mutex(ClientEnvironment.APIs())
    private let revision: RegistryRevision

    init(revision: RegistryRevision = RegistryRevision()) {
        self.revision = revision
    }

    /// The operation behind an alias; assigning `nil` removes the alias.
    public subscript<Model>(alias: APIAlias<Model>) -> API? {
        get { table.withLock { $0[alias] } }
        set {
            table.withLock { $0[alias] = newValue }
            revision.advance()
        }
    }

    /// Unavailable: an alias has the type of its response, which a name has not; of an alias that is not declared, the
    /// compiler says that `APIAlias<Any>` has no such member.
    @available(
        *,
        unavailable,
        message: "declare it: extension APIAlias where Model == [Order] { static var orders: Self { \"orders\" } }"
    )
    @_disfavoredOverload
    public subscript(alias: APIAlias<Any>) -> API? {
        get { nil }
        set {}
    }

    /// All aliases as text, with their operations, at this moment.
    public var all: [String: API] {
        snapshot.entries.mapValues(\.value)
    }

    func removeAll() {
        table.withLock { $0 = ClientEnvironment.APIs() }
        revision.advance()
    }

    var snapshot: ClientEnvironment.APIs {
        table.withLock { $0 }
    }
}
