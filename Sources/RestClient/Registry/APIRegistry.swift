// SPDX-License-Identifier: MIT

import Synchronization

/// The table of API aliases; see ``RestClientManager/apis``.
public final class APIRegistry: Sendable {
    private let entries: Registry<String, API>

    /// The models for which each alias was registered, by name: more than one is an error.
    private let models = Mutex<[String: Set<String>]>([:])

    init(revision: RegistryRevision = RegistryRevision()) {
        entries = Registry([:], revision: revision)
    }

    /// The operation behind an alias; assigning `nil` removes the alias.
    public subscript<Model>(alias: APIAlias<Model>) -> API? {
        get { entries[alias.rawValue] }
        set {
            // Updated before the table counts the change, so that a snapshot includes both.
            models.withLock { models in
                if newValue == nil {
                    models[alias.rawValue] = nil
                } else {
                    _ = models[alias.rawValue, default: []].insert(String(reflecting: Model.self))
                }
            }
            entries[alias.rawValue] = newValue
        }
    }

    /// Unavailable: an alias has the type of its response, which a name has not.
    @available(*, unavailable, message: "an alias has the type of its response, as in \"orders\" as APIAlias<[Order]>")
    public subscript(name: String) -> API? {
        get { nil }
        set {}
    }

    /// All aliases as text, with their operations, at this moment.
    public var all: [String: API] {
        entries.all
    }

    func removeAll() {
        models.withLock { $0.removeAll() }
        entries.removeAll()
    }

    var registeredModels: [String: Set<String>] {
        models.withLock { $0 }
    }

    var snapshot: [String: Registered<API>] {
        entries.snapshot
    }
}
