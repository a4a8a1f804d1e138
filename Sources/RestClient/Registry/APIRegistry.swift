// SPDX-License-Identifier: MIT

/// The table of API aliases; see ``RestClientManager/apis``.
public final class APIRegistry: Sendable {
    private let entries: Registry<String, API>

    /// Creates an empty table whose changes are counted.
    init(revision: RegistryRevision = RegistryRevision()) {
        entries = Registry([:], revision: revision)
    }

    /// The operation behind an alias; assigning `nil` removes the alias.
    public subscript<Model>(key: APIAlias<Model>) -> API? {
        get { entries[key.rawValue] }
        set { entries[key.rawValue] = newValue }
    }

    /// All aliases as text, with their operations, as they stand at this moment.
    public var all: [String: API] {
        entries.all
    }

    /// Removes every alias.
    public func removeAll() {
        entries.removeAll()
    }

    /// All aliases with their operations, without copying the operations.
    var snapshot: [String: Registered<API>] {
        entries.snapshot
    }
}
