// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

/// The tables of a manager together, and a snapshot of them all that is made anew only after one has changed.
final class Registries: Sendable {
    let servers: Registry<ServerAlias, Server>
    let apis: APIRegistry
    let pathTemplates: PathTemplateRegistry
    let automaticHeaders: Registry<HTTPField.Name, AutomaticHeader>
    let dogmas: Registry<DogmaAlias, any Dogma>

    private struct State {
        var defaultServer: ServerAlias?
        var defaultDogma = DogmaAlias.json
        var defaultAuthentication: Authentication?
        var latest: RegistrySnapshot?
    }

    private let revision = RegistryRevision()
    private let state = Mutex(State())

    init() {
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

    /// The dogma of requests that name none.
    var defaultDogma: DogmaAlias {
        get { state.withLock { $0.defaultDogma } }
        set {
            state.withLock { $0.defaultDogma = newValue }
            revision.advance()
        }
    }

    /// How calls of registered servers prove who makes them, where nothing else is said.
    var defaultAuthentication: Authentication? {
        get { state.withLock { $0.defaultAuthentication } }
        set {
            state.withLock { $0.defaultAuthentication = newValue }
            revision.advance()
        }
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
            dogmas: dogmas.snapshot,
            pathTemplates: pathTemplates.snapshot,
            automaticHeaders: automaticHeaders.snapshot,
            defaultServer: state.defaultServer,
            defaultDogma: state.defaultDogma,
            defaultAuthentication: state.defaultAuthentication
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
