// SPDX-License-Identifier: MIT

import Foundation
import HTTPTypes
import RestClient
import Synchronization
import TestSupport
import Testing

/// A process that runs a graph with a journal is killed at random moments; each call has the effect that its policy promises.
///
/// `JOURNAL_CRASH_ROUNDS` sets how often it is killed for each policy: 50 times in the full run, 6 without it.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: CrashingProcess.executable != nil, "the helper was not built")
)
struct JournalCrashTests {
    /// What reached the server: which call with which key, in order.
    private struct Effect: Sendable, Hashable {
        let name: String
        let key: String?
    }

    private var rounds: Int {
        ProcessInfo.processInfo.environment["JOURNAL_CRASH_ROUNDS"].flatMap { Int($0) } ?? 6
    }

    /// Runs the helper until it ends by itself, and kills it so many times before.
    private func crash(
        _ policy: String,
        at server: LoopbackServer,
        _ effects: Recorder<Effect>,
        in folder: URL
    ) async throws -> Int32 {
        // Whether an answer is held back; the process is then killed while it waits for it.
        let holds = Mutex(false)
        let gate = Gate()
        server.onAny { request in
            let name = request.target.split(separator: "/").last.map(String.init) ?? ""
            effects.record(Effect(name: name, key: request.headers["Idempotency-Key"]))
            if holds.withLock({ $0 }) {
                try await gate.wait()
            }
            return .text(name)
        }
        for _ in 0..<rounds {
            let before = effects.count
            let process = try CrashingProcess(folder.path, server.url, policy)
            let isHeld = Bool.random()
            holds.withLock { $0 = isHeld }
            // Few calls lie between two crashes, so that most crashes find the graph at another place.
            let killedAt = before + (isHeld ? 1 : Int.random(in: 1...3))
            let reader = Task { try? await effects.waitForCount(killedAt) }
            let watcher = Task {
                let status = await process.end()
                reader.cancel()
                return status
            }
            _ = await reader.value
            for _ in 0..<Int.random(in: 0...2_000) {
                await Task.yield()
            }
            process.kill()
            let status = await watcher.value
            gate.pass(gate.waiterCount)
            holds.withLock { $0 = false }
            if status == 0 || status == 3 {
                return status
            }
        }
        gate.open()
        return await (try CrashingProcess(folder.path, server.url, policy)).end()
    }

    private func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "journal-crash-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    @Test
    func `with repetition allowed every call has its effect, and each unsafe one under a single key`() async throws {
        for _ in 0..<max(1, rounds / 6) {
            try await withFolder { folder in
                try await LoopbackServer.with(.http1) { server in
                    let effects = Recorder<Effect>()
                    let status = try await crash("repeat", at: server, effects, in: folder)
                    #expect(status == 0)
                    let names = ["a", "b"].flatMap { line in (0..<6).map { "\(line)\($0)" } } + ["end"]
                    for name in names {
                        let keys = effects.elements.filter { $0.name == name }.map(\.key)
                        #expect(!keys.isEmpty, "\(name) never reached the server")
                        let isUnsafe = name != "end" && (name.last?.wholeNumberValue ?? 1).isMultiple(of: 2)
                        #expect(Set(keys).count == 1, "\(name) came with \(keys)")
                        #expect((keys.first.flatMap(\.self) != nil) == isUnsafe)
                    }
                }
            }
        }
    }

    @Test
    func `without it no unsafe call is ever sent twice`() async throws {
        for _ in 0..<rounds {
            try await withFolder { folder in
                try await LoopbackServer.with(.http1) { server in
                    let effects = Recorder<Effect>()
                    let status = try await crash("fail", at: server, effects, in: folder)
                    #expect(status == 0 || status == 3)
                    let unsafe = effects.elements.filter { $0.key != nil }.map(\.name)
                    #expect(Set(unsafe).count == unsafe.count, "sent twice: \(unsafe)")
                }
            }
        }
    }
}
