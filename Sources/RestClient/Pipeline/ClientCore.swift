// SPDX-License-Identifier: MIT

import HTTPTypes
import SharedStore
import Synchronization

/// The parts of a manager, in one place for everything that runs requests.
final class ClientCore: Sendable {
    let settings: CallSettings
    let servers = Registry<ServerKey, Server>()
    let apis = APIRegistry()
    let pathTemplates = PathTemplateRegistry()
    let automaticHeaders = Registry<HTTPField.Name, AutomaticHeader>()
    let dogmas: Registry<DogmaKey, any Dogma>
    let dummies = DummyRegistry()
    let workers: WorkerPool
    let hub = EventHub()
    let cache: ResponseCache
    let clock: ClientClock
    let transport: any Transport
    let defaults = Mutex(Defaults())

    /// The keys that stand in where a request names none.
    struct Defaults {
        var server: ServerKey?
        var dogma = DogmaKey.json
    }

    init(configuration: RestClientManager.Configuration) {
        settings = CallSettings(configuration)
        dogmas = Registry([.json: JSONDogma(), .form: FormDogma(), .raw: RawDogma()])
        workers = WorkerPool(size: configuration.workerCount)
        cache = ResponseCache(storage: ExpiringCache(configuration: configuration.cache))
        clock = ClientClock(configuration.clock)
        transport = configuration.transport ?? AsyncHTTPClientTransport.shared
    }

    /// Makes the request that a node describes.
    func resolve(
        _ specification: RequestSpecification,
        id: CallID,
        groupID: GroupID?,
        start: Duration
    ) throws -> ResolvedRequest {
        let builder = RequestBuilder(
            registries: registrySnapshot(),
            settings: settings,
            id: id,
            groupID: groupID,
            start: start
        )
        return try builder.build(specification)
    }

    /// The registries as they stand now.
    func registrySnapshot() -> RegistrySnapshot {
        let defaults = defaults.withLock { $0 }
        return RegistrySnapshot(
            servers: servers.snapshot,
            apis: apis.snapshot,
            dogmas: dogmas.snapshot,
            pathTemplates: pathTemplates.snapshot,
            automaticHeaders: automaticHeaders.snapshot,
            defaultServer: defaults.server,
            defaultDogma: defaults.dogma
        )
    }
}
