// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import Synchronization
import TestSupport
import Testing

/// Processes that share a cache, and want the same response at the same time.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: CrashingProcess.executable != nil, "the helper was not built")
)
struct CacheProcessTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A server that says when its callers are there, and holds the response back until the gate opens.
    private func serve(_ server: LoopbackServer, ready: Recorder<Void>, asked: Recorder<Void>, gate: Gate) {
        server.on(.get, "/ready") { _ in
            ready.record(())
            return .status(204)
        }
        server.on(.get, "/answer") { _ in
            asked.record(())
            try await gate.wait()
            return .json(#""the response""#, headers: ["Cache-Control": "max-age=60"])
        }
    }

    private func process(_ server: LoopbackServer, lease: Duration) throws -> CrashingProcess {
        let milliseconds = Int(lease / .milliseconds(1))
        return try CrashingProcess("cache", directory.url.path, server.url, "\(milliseconds)")
    }

    @Test
    func `several processes fetch one response once`() async throws {
        try await LoopbackServer.with(.http1) { server in
            let (ready, asked, gate) = (Recorder<Void>(), Recorder<Void>(), Gate())
            serve(server, ready: ready, asked: asked, gate: gate)
            let processes = try (0..<4).map { _ in try process(server, lease: .seconds(60)) }
            try await ready.waitForCount(4)
            try await asked.waitForCount(1)
            gate.open()
            for process in processes { #expect(await process.end() == 0) }

            #expect(asked.count == 1)
        }
    }

    @Test
    func `what a process that was killed did not fetch is fetched by the next one`() async throws {
        try await LoopbackServer.with(.http1) { server in
            let (ready, asked, gate) = (Recorder<Void>(), Recorder<Void>(), Gate())
            serve(server, ready: ready, asked: asked, gate: gate)
            let first = try process(server, lease: .milliseconds(400))
            try await asked.waitForCount(1)
            first.kill()
            #expect(await first.end() == -1)
            gate.open()
            let second = try process(server, lease: .milliseconds(400))
            #expect(await second.end() == 0)

            #expect(asked.count == 2)
        }
    }
}
