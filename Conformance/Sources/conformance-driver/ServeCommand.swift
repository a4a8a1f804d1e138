// SPDX-License-Identifier: MIT

import RestClient
import SharedStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends the requests of standard input until it ends, through one manager with one private cache on disk.
struct ServeCommand {
    private let manager: RestClientManager
    private let directory: URL
    private let usesCache: Bool
    private let connections: DirectTransport.Configuration

    init(_ arguments: inout Arguments) throws {
        guard let folder = arguments.takeWord() else {
            throw UsageError(text: "serve needs the folder of its cache")
        }
        directory = URL(filePath: folder, directoryHint: .isDirectory)
        usesCache = !arguments.takeFlag("--no-cache")
        var configuration = RestClientManager.Configuration()
        let transport = try TransportOptions(&arguments)
        configuration.transport = try transport.transport()
        connections = transport.configuration
        // Nothing is taken from the environment of the process.
        configuration = configuration.proxy(.none)
        configuration.workerCount = 0
        if arguments.takeFlag("--no-memory-tier") {
            configuration.cache.memoryByteLimit = 0
        }
        if !transport.pins.isEmpty {
            configuration = configuration.pinnedKeys(transport.pins)
        }
        if let limit = try arguments.takeNumber("--max-response") {
            configuration = configuration.limits(body: limit)
        }
        if let factor = try arguments.takeNumber("--max-decoded-ratio") {
            configuration = configuration.limits(decompression: factor)
        }
        if let pause = try arguments.takeNumber("--idle-timeout") {
            configuration = configuration.timeouts(idle: .milliseconds(pause))
        }
        try arguments.end()
        manager = RestClientManager(configuration: configuration)
    }

    func run() async throws {
        if usesCache {
            try manager.persist(in: directory)
        }
        manager.dogmas[QuietJSONDogma.alias] = QuietJSONDogma()
        let counts = EventCounts()
        let observation = manager.observe { counts.note($0) }
        let requests = ServedRequests()
        let routes = Routes()
        await withDiscardingTaskGroup { group in
            for await line in InputLines.stream() where !line.isEmpty {
                do {
                    switch try InputLine(line) {
                    case .request(let request, let route):
                        let exchange = Exchange(
                            request: request,
                            route: route,
                            terms: routes.terms(of: request, route),
                            manager: manager,
                            usesCache: usesCache,
                            connections: connections
                        )
                        let task = requests.start { await exchange.run() }
                        group.addTask { await task.value }
                    case .register(let registration, let route):
                        try registration.register(route, with: manager)
                        routes.note(route, of: registration)
                        await Output.standard.write(.done)
                    case .cancelAll:
                        manager.calls.cancel(.all)
                        requests.cancelAll()
                        await Output.standard.write(.done)
                    case .inFlight:
                        await Output.standard.write(.inFlight(manager.calls.running().count))
                    case .metrics:
                        await Output.standard.write(.metrics(counts.byName))
                    }
                } catch let error as UnsupportedField {
                    await Output.standard.write(.unsupported(error, in: InputLine.identifier(in: line)))
                } catch {
                    await Output.standard.write(.failure(of: InputLine.identifier(in: line), error))
                }
            }
        }
        await manager.cache.revalidationsFinished()
        observation.cancel()
    }
}
