// SPDX-License-Identifier: MIT

struct EnvironmentTable: Sendable {
    private(set) var layers: [EnvironmentAlias: EnvironmentLayer] = [:]

    private(set) var current: EnvironmentAlias?

    mutating func set(_ environment: ClientEnvironment?, for alias: EnvironmentAlias) {
        layers[alias] = environment.map { EnvironmentLayer($0, as: alias) }
    }

    /// The same environments with layers of their own: a layer remembers the tables of one manager.
    var copied: EnvironmentTable {
        var copy = self
        copy.layers = layers.mapValues { EnvironmentLayer($0.environment, as: $0.alias) }
        return copy
    }

    func layer(_ alias: EnvironmentAlias, from origin: String = "") throws(RestClientError) -> EnvironmentLayer {
        guard let layer = layers[alias] else {
            throw unknown(alias, from: origin)
        }
        return layer
    }

    mutating func use(_ alias: EnvironmentAlias?, from origin: String = "") throws(RestClientError) {
        if let alias {
            _ = try layer(alias, from: origin)
        }
        current = alias
    }

    mutating func use(
        variable: String,
        in variables: [String: String],
        else fallback: EnvironmentAlias?
    ) throws(RestClientError) {
        // Checked in any case, so that a mistake is reported even while the variable is set.
        if let fallback {
            _ = try layer(fallback)
        }
        guard let name = variables[variable], !name.isEmpty else {
            current = fallback
            return
        }
        try use(EnvironmentAlias(rawValue: name), from: ", which the variable '\(variable)' names")
    }

    /// The active environment, or the error of calls if it was removed.
    var inForce: Result<EnvironmentLayer?, RestClientError> {
        guard let current else {
            return .success(nil)
        }
        guard let layer = layers[current] else {
            return .failure(unknown(current, from: ", which is in force"))
        }
        return .success(layer)
    }

    private func unknown(_ alias: EnvironmentAlias, from origin: String) -> RestClientError {
        let known = layers.keys.map(\.rawValue).sorted()
        let nearest =
            NearestNames.of(alias.rawValue, among: known).first
            .map { "did you mean '\(AliasText.shown($0))'? " } ?? ""
        return RestClientError(
            .unknownEnvironment,
            "no environment is registered as '\(AliasText.shown(alias.rawValue))'\(origin); \(nearest)"
                + (known.isEmpty ? "none is registered" : "registered: \(known.joined(separator: ", "))")
        )
    }
}
