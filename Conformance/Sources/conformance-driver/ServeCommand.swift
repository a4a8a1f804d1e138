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

    init(_ arguments: inout Arguments) throws {
        guard let folder = arguments.takeWord() else {
            throw UsageError(text: "serve needs the folder of its cache")
        }
        directory = URL(filePath: folder, directoryHint: .isDirectory)
        usesCache = !arguments.takeFlag("--no-cache")
        var configuration = RestClientManager.Configuration()
        configuration.transport = try TransportOptions(&arguments).transport()
        configuration.workerCount = 0
        if arguments.takeFlag("--no-memory-tier") {
            configuration.cache.memoryByteLimit = 0
        }
        try arguments.end()
        manager = RestClientManager(configuration: configuration)
    }

    func run() async throws {
        if usesCache {
            try manager.persist(in: directory)
        }
        await withDiscardingTaskGroup { group in
            for await line in InputLines.stream() where !line.isEmpty {
                group.addTask { await Output.standard.write(await answer(to: line).line()) }
            }
        }
        await manager.cache.finishRevalidations()
    }

    @concurrent
    private func answer(to line: String) async -> WireAnswer {
        let bytes = Data(line.utf8)
        let request: WireRequest
        do {
            request = try JSONDecoder().decode(WireRequest.self, from: bytes)
        } catch {
            return WireAnswer(to: (try? JSONDecoder().decode(Identifier.self, from: bytes))?.id, failing: error)
        }
        do {
            var node = try request.node(for: manager)
            if !usesCache {
                node = node.cache(.networkOnly)
            }
            return WireAnswer(to: request.id, try await node.response())
        } catch {
            return WireAnswer(to: request.id, failing: error)
        }
    }

    /// The one part of a malformed request that its response needs.
    private struct Identifier: Decodable {
        let id: Int
    }
}
