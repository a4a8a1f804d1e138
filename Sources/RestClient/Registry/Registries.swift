// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

/// The tables of a manager together, and a snapshot of them all that is made again only after one has changed.
final class Registries: Sendable {
    let servers: Registry<ServerAlias, Server>
    let apis: APIRegistry
    let pathTemplates: PathTemplateRegistry
    let automaticHeaders: Registry<HTTPField.Name, AutomaticHeader>
    let dogmas: Registry<DogmaAlias, any Dogma>

    private struct State {
        var defaultServer: ServerAlias?
        var options = CallOptions()
        var optionChanges: UInt64 = 0
        var latest: RegistrySnapshot?
    }

    private let revision = RegistryRevision()
    private let state: Mutex<State>

    init(options: CallOptions = CallOptions()) {
        state = Mutex(State(options: options))
        servers = Registry([:], revision: revision)
        apis = APIRegistry(revision: revision)
        pathTemplates = PathTemplateRegistry(revision: revision)
        automaticHeaders = Registry([:], revision: revision)
        dogmas = Registry([.json: JSONDogma(), .form: FormDogma(), .raw: RawDogma()], revision: revision)
    }

    /// The server of requests that name none.
    var defaultServer: ServerAlias? {
        get { state.withLock { $0.defaultServer } }
        set {
            state.withLock { $0.defaultServer = newValue }
            revision.advance()
        }
    }

    /// The options of every call.
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

    /// Changes the options of every call, with nobody's change lost; the closure may run again when somebody was
    /// faster.
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

    /// The tables as they stand now.
    func snapshot() -> RegistrySnapshot {
        // Read before the tables are: a change meanwhile makes the snapshot an old one, never an old one a current one.
        let current = revision.current
        let state = state.withLock { $0 }
        if let latest = state.latest, latest.revision == current {
            return latest
        }
        let snapshot = RegistrySnapshot(
            revision: current,
            servers: servers.snapshot,
            apis: apis.snapshot,
            ambiguousAPIs: apis.ambiguous,
            dogmas: dogmas.snapshot,
            pathTemplates: pathTemplates.snapshot,
            automaticHeaders: automaticHeaders.snapshot,
            defaultServer: state.defaultServer,
            options: CallOptions().overlaid(with: state.options, at: .manager)
        )
        self.state.withLock { $0.latest = snapshot }
        return snapshot
    }
}

/// Counts the changes of a manager's tables.
final class RegistryRevision: Sendable {
    private let count = Atomic<UInt64>(0)

    /// How many changes there were.
    var current: UInt64 { count.load(ordering: .acquiring) }

    /// Tells that a table has changed.
    func advance() {
        count.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}
