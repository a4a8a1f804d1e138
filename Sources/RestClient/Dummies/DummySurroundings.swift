// SPDX-License-Identifier: MIT

struct DummySurroundings: Sendable {
    let scopes: [DummyScope]
    let scopeMode: DummyMode?
    let dummies: DummyRegistry
    let mode: DummyMode

    /// Reads the scopes of the current task, and the modes; at the cost of two flags if dummies are not in use.
    static func current(_ dummies: DummyRegistry) -> DummySurroundings {
        let scopes = DummyScope.all(for: dummies)
        return DummySurroundings(
            scopes: scopes,
            scopeMode: scopes.first?.registry.mode,
            dummies: dummies,
            mode: dummies.isActive ? dummies.mode : .off
        )
    }

    var areAbsent: Bool { scopes.isEmpty && scopeMode == nil && mode == .off }

    /// Returns the lookup for a call by its options; `nil` if no dummy may respond.
    ///
    /// A scope takes precedence over the options of all levels but the call itself. The aliases that dummies name are
    /// looked up in the directory, with which the call was resolved.
    func lookup(_ options: CallOptions, in directory: any DummyDirectory) -> DummyLookup? {
        var option = options[.dummies]
        if scopeMode != nil, option != nil, options.level(of: .dummies) != .call {
            option = nil
        }
        let mode = option ?? scopeMode ?? mode
        guard mode != .off else {
            return nil
        }
        var registries = scopes.map(\.registry)
        // The manager's own dummies come after those of scopes, unless they are switched off.
        if scopes.isEmpty || self.mode != .off {
            registries.append(dummies)
        }
        return DummyLookup(mode: mode, registries: registries, scopeCount: scopes.count, directory: directory)
    }
}
