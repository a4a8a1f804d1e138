// SPDX-License-Identifier: MIT

import Synchronization

/// The tables of a manager, and a snapshot of them that is recreated only after a change.
final class Registries: Sendable {
    let servers: Registry<ServerAlias, Server>
    let apis: APIRegistry
    let pathTemplates: Registry<PathTemplate, [String: JSONValue]>
    let dogmas: Registry<DogmaAlias, any Dogma>

    private struct State {
        var defaultServer: ServerAlias?
        var options = CallOptions()
        var optionChanges: UInt64 = 0
        var environments = EnvironmentTable()
        var latest: RegistrySnapshot?
    }

    private let revision: RegistryRevision
    private let state: Mutex<State>
    private let builtInDogmas: [DogmaAlias: Registered<any Dogma>]

    init(options: CallOptions = CallOptions()) {
        revision = RegistryRevision()
        state = Mutex(State(options: options))
        servers = Registry([:], revision: revision)
        apis = APIRegistry(revision: revision)
        pathTemplates = Registry([:], revision: revision) { $0.rooted }
        dogmas = Registry([.json: JSONDogma(), .form: FormDogma(), .raw: RawDogma()], revision: revision)
        builtInDogmas = dogmas.snapshot
    }

    private init(sharing other: Registries, _ state: State) {
        revision = other.revision
        servers = other.servers
        apis = other.apis
        pathTemplates = other.pathTemplates
        dogmas = other.dogmas
        builtInDogmas = other.builtInDogmas
        self.state = Mutex(state)
    }

    /// Returns tables that share the servers, operations, path templates and dogmas of these.
    ///
    /// Their default server and environments begin as copies.
    func shared(options: CallOptions) -> Registries {
        let own = state.withLock { $0 }
        var state = State(defaultServer: own.defaultServer, options: options)
        state.environments = own.environments.copied
        return Registries(sharing: self, state)
    }

    var defaultServer: ServerAlias? {
        get { state.withLock { $0.defaultServer } }
        set {
            state.withLock { $0.defaultServer = newValue }
            revision.advance()
        }
    }

    var options: CallOptions {
        get { state.withLock { $0.options } }
        set {
            state.withLock { state in
                state.options = newValue
                state.optionChanges += 1
            }
            revision.advance()
        }
    }

    /// Changes the options of every call without losing a concurrent change; the closure runs again if another task
    /// changed them meanwhile.
    func updateOptions(_ change: (CallOptions) -> CallOptions) {
        var isDone = false
        while !isDone {
            let (options, number) = state.withLock { ($0.options, $0.optionChanges) }
            let changed = change(options)
            isDone = state.withLock { state in
                guard state.optionChanges == number else {
                    return false
                }
                state.options = changed
                state.optionChanges += 1
                return true
            }
        }
        revision.advance()
    }

    // MARK: - Environments

    var environments: EnvironmentTable { state.withLock { $0.environments } }

    func updateEnvironments<Failure: Error>(
        _ change: (inout EnvironmentTable) throws(Failure) -> Void
    ) throws(Failure) {
        let result = state.withLock { state -> Result<Void, Failure> in
            do throws(Failure) {
                return .success(try change(&state.environments))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        revision.advance()
    }

    // MARK: - Snapshots

    /// Returns the current tables over the environment of a task, or otherwise over the active one.
    ///
    /// The environment is read in one step, so that a snapshot never mixes two of them.
    func snapshot(in scope: EnvironmentLayer? = nil) -> RegistrySnapshot {
        // Read before the tables, so that a concurrent change makes the snapshot outdated, never an outdated one
        // current.
        let current = revision.current
        let latest = scope.map { $0.latest.withLock { $0 } } ?? state.withLock { $0.latest }
        if let latest, latest.revision == current {
            return latest
        }
        let state = state.withLock { $0 }
        let own = own(state, current)
        let snapshot: RegistrySnapshot
        switch scope.map({ .success($0) }) ?? state.environments.inForce {
        case .success(let layer?): snapshot = own.laid(over: layer, builtIn: builtInDogmas)
        case .success(nil): snapshot = own
        case .failure(let error): snapshot = own.failing(with: error)
        }
        if let scope {
            scope.latest.withLock { $0 = snapshot }
        } else {
            self.state.withLock { $0.latest = snapshot }
        }
        return snapshot
    }

    /// Returns all faults of the tables over each environment, and over none if none is active.
    func issues(in scope: EnvironmentLayer?, limitedServers: [ServerAlias]) -> [LintIssue] {
        let state = state.withLock { $0 }
        let own = own(state, revision.current)
        var issues: [LintIssue] = []
        var layers = state.environments.layers.values.sorted { $0.alias?.rawValue ?? "" < $1.alias?.rawValue ?? "" }
        var subjects: [RegistryLint.Subject] = []
        switch scope.map({ .success($0) }) ?? state.environments.inForce {
        case .success(let layer?):
            // The environment of a task may have been replaced, or may never have been registered.
            layers = [layer] + layers.filter { $0 !== layer }
        case .success(nil):
            subjects.append(RegistryLint.Subject(environment: nil, tables: own))
        case .failure(let error):
            issues.append(LintIssue(kind: .unknownAlias, message: error.message))
        }
        subjects += layers.map {
            RegistryLint.Subject(environment: $0, tables: own.laid(over: $0, builtIn: builtInDogmas))
        }
        return issues
            + RegistryLint.issues(of: subjects, own: own, builtIn: builtInDogmas, limitedServers: limitedServers)
    }

    private func own(_ state: State, _ current: UInt64) -> RegistrySnapshot {
        let apis = apis.snapshot
        return RegistrySnapshot(
            revision: current,
            servers: servers.snapshot,
            apis: apis.entries,
            models: apis.models,
            dogmas: dogmas.snapshot,
            pathTemplates: pathTemplates.snapshot,
            defaultServer: state.defaultServer,
            options: CallOptions().overlaid(with: state.options, at: .manager)
        )
    }
}

struct EnvironmentTable: Sendable {
    private(set) var layers: [EnvironmentAlias: EnvironmentLayer] = [:]

    private(set) var current: EnvironmentAlias?

    mutating func set(_ environment: ClientEnvironment?, for alias: EnvironmentAlias) {
        layers[alias] = environment.map { EnvironmentLayer($0, as: alias) }
    }

    /// The same environments with new layers, because a layer remembers the tables of one manager.
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
