// SPDX-License-Identifier: MIT

import Foundation
import HTTPTypes
import Synchronization
import TestSupport

/// A server that notes what reaches it, and a directory in which processes run a graph with a journal and are killed.
final class CrashScene: Sendable {
    /// How the program ends.
    enum Status: Int32, Sendable {
        /// The run succeeded.
        case success = 0
        /// The outcome of an unsafe request is unknown.
        case unknownOutcome = 3
        /// Another process uses the journal.
        case journalInUse = 4
        /// The run did not succeed, and all that it did was taken back.
        case takenBack = 5
        /// It was killed, or ended in a way of which nothing is known.
        case killed = -1
    }

    /// How many times the program is killed for each policy: 50 in the full run, 6 without `JOURNAL_CRASH_ROUNDS`.
    static var rounds: Int {
        ProcessInfo.processInfo.environment["JOURNAL_CRASH_ROUNDS"].flatMap { Int($0) } ?? 6
    }

    /// The requests that reached the server: which call with which key.
    struct Effect: Sendable, Hashable {
        let name: String
        let key: String?
    }

    /// Everything that reached the server, in order.
    let effects = Recorder<Effect>()
    /// The gate at which held responses wait.
    let gate = Gate()
    private let server: LoopbackServer
    private let folder: URL
    private let holds = Mutex(false)

    private init(_ server: LoopbackServer, _ folder: URL, refusing refused: String?) {
        self.server = server
        self.folder = folder
        server.onAny { [self] request in
            let name = request.target.split(separator: "/").last.map(String.init) ?? ""
            effects.record(Effect(name: name, key: request.headers["Idempotency-Key"]))
            if holds.withLock({ $0 }) {
                try await gate.wait()
            }
            return name == refused ? .text("no", status: 409) : .text(name)
        }
    }

    /// Hands a new scene to a test.
    ///
    /// - Parameters:
    ///   - refused: The call that the server refuses, if any.
    ///   - body: The test.
    /// - Throws: The error of the test, or the error that prevents the server from starting.
    static func with(refusing refused: String? = nil, _ body: (CrashScene) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "journal-crash-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await LoopbackServer.with(.http1) { server in
            try await body(CrashScene(server, folder, refusing: refused))
        }
    }

    /// True if responses are held back from now on.
    func hold(_ holds: Bool) {
        self.holds.withLock { $0 = holds }
    }

    /// Begins the program.
    func process(_ mode: String) throws -> CrashingProcess {
        try CrashingProcess(folder.path, server.url, mode)
    }

    /// Waits for the end of the program.
    func end(of process: CrashingProcess) async -> Status {
        Status(rawValue: await process.end()) ?? .killed
    }

    /// Runs the program until it ends by itself, and kills it so many times before.
    ///
    /// - Parameters:
    ///   - mode: The mode of the program.
    ///   - times: How often it is killed.
    /// - Returns: How it ended.
    /// - Throws: The error that prevents the program from starting.
    func run(_ mode: String, killing times: Int) async throws -> Status {
        for _ in 0..<times {
            let before = effects.count
            let process = try process(mode)
            // Whether a response is held back; the process is then killed while it waits for it.
            let isHeld = Bool.random()
            hold(isHeld)
            // Few calls lie between two crashes, so that most crashes find the graph at another place.
            let killedAt = before + (isHeld ? 1 : Int.random(in: 1...3))
            let reader = Task { try? await effects.waitForCount(killedAt) }
            let watcher = Task {
                let status = await end(of: process)
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
            hold(false)
            if status != .killed {
                return status
            }
        }
        gate.open()
        return await end(of: try process(mode))
    }

    /// The keys with which calls came, by their names.
    var keys: [String: [String?]] {
        effects.elements.reduce(into: [:]) { $0[$1.name, default: []].append($1.key) }
    }
}
