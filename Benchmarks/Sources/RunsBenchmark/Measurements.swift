// SPDX-License-Identifier: MIT

import BenchmarkSupport
import Foundation
import JobGraphs

#if canImport(Glibc)
import Glibc
#endif

/// Something that is measured once in each round.
struct Measurement: Sendable {
    let title: String
    let unit: String
    /// The goal, for people.
    var bar = ""
    var digits = 0
    let measure: @Sendable () async throws -> Double
}

/// What is measured: each time with a new folder.
struct Measurements: Sendable {
    /// Enqueuing took so long that the first runs had begun.
    private struct TooLate: Error {}

    let runs: Int
    let workers: Int
    let limit: Int

    var all: [Measurement] {
        [
            Measurement(title: "enqueue, one at a time", unit: "runs/s") { try await enqueue(atOnce: 1) },
            Measurement(title: "enqueue, 64 at a time", unit: "runs/s") { try await enqueue(atOnce: 64) },
            Measurement(title: "called for, 5 empty nodes, one at a time", unit: "runs/s", measure: callFor),
            Measurement(title: "claims: runs of one empty node", unit: "runs/s", bar: ">= 1500") {
                try await work(nodes: 1)
            },
            Measurement(title: "runs of 5 empty nodes", unit: "runs/s", bar: ">= 1000") { try await work(nodes: 5) },
            Measurement(
                title: "takeover after a kill, one machine",
                unit: "s",
                bar: "<= 2",
                digits: 2,
                measure: takeOver
            ),
            Measurement(title: "an idle worker", unit: "cpu ms/s", digits: 1, measure: idle),
        ]
    }

    private func inFolder(_ body: (URL, JobRuntime) async throws -> Double) async throws -> Double {
        let folder = FileManager.default.temporaryDirectory.appending(path: "RunsBenchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder, JobRuntime(workerCount: 0, directory: folder.appending(path: "journal")))
    }

    private func seconds(since began: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - began) / .seconds(1)
    }

    // MARK: - Queues

    private func enqueue(
        _ count: Int,
        _ graph: DurableGraph<Int>,
        atOnce width: Int,
        due: Date? = nil,
        on runtime: JobRuntime
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for place in 0..<width {
                group.addTask {
                    for number in stride(from: place, to: count, by: width) {
                        try await runtime.enqueue(graph, number, as: "run \(number)", at: due)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func enqueue(atOnce width: Int) async throws -> Double {
        try await inFolder { folder, runtime in
            // One at a time they are slow enough that a part of them says as much.
            let count = width == 1 ? max(1, runs / 8) : runs
            let began = ContinuousClock.now
            try await enqueue(count, RunsWorker.graph(nodes: 5, in: folder), atOnce: width, on: runtime)
            return Double(count) / seconds(since: began)
        }
    }

    private func callFor() async throws -> Double {
        try await inFolder { folder, runtime in
            let count = max(1, runs / 8)
            var graph = JobGraph("called for")
            var last = graph.local("node 1") { 1 }
            for node in 2...5 {
                last = graph.local("node \(node)", after: last) { number in number }
            }
            let began = ContinuousClock.now
            for number in 0..<count {
                try await runtime.run(graph, journal: RunJournal("run \(number)")).check()
            }
            return Double(count) / seconds(since: began)
        }
    }

    // MARK: - Workers

    private func start(_ folder: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--worker", folder.path, "--limit", "\(limit)"]
        try process.run()
        return process
    }

    private func end(_ process: Process) {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Lets processes that wait already work runs that are due at one time.
    private func work(nodes: Int) async throws -> Double {
        try await inFolder { folder, runtime in
            let processes = try (0..<workers).map { _ in try start(folder) }
            defer { processes.forEach(end) }
            let marks = Marks("ended", in: folder)
            // A first run says that one of them looks, and the others have a second more.
            let graph = RunsWorker.graph(nodes: nodes, in: folder)
            try await runtime.enqueue(graph, 0, as: "first")
            try await marks.wait(for: 1)
            try await Task.sleep(for: .seconds(1))
            let enqueuing = Double(runs) / 1_000
            let due = Date(timeIntervalSinceNow: 2 + enqueuing)
            try await enqueue(runs, graph, atOnce: 64, due: due, on: runtime)
            guard due.timeIntervalSinceNow > 0 else {
                throw TooLate()
            }
            try await Task.sleep(for: .seconds(due.timeIntervalSinceNow))
            let began = ContinuousClock.now
            try await marks.wait(for: runs + 1)
            return Double(runs) / seconds(since: began)
        }
    }

    private func takeOver() async throws -> Double {
        try await inFolder { folder, runtime in
            let holder = try start(folder)
            try await runtime.enqueue(RunsWorker.holding(isHolder: true, in: folder), 0, as: "run")
            try await Marks("held", in: folder).wait(for: 1)
            let graph = RunsWorker.holding(isHolder: false, in: folder)
            let worker = Task { try await runtime.worker(limit: 1).offering(graph).run() }
            try await Task.sleep(for: .milliseconds(.random(in: 1_000...3_000)))
            end(holder)
            let began = ContinuousClock.now
            try await Marks("taken", in: folder).wait(for: 1)
            let time = seconds(since: began)
            worker.cancel()
            try await worker.value
            return time
        }
    }

    private func idle() async throws -> Double {
        try await inFolder { folder, runtime in
            let graph = RunsWorker.graph(nodes: 5, in: folder)
            let worker = Task { try await runtime.worker(limit: limit).offering(graph).run() }
            try await Task.sleep(for: .seconds(1))
            let (began, processor) = (ContinuousClock.now, ProcessorTime.microseconds())
            try await Task.sleep(for: .seconds(5))
            let spent = (ProcessorTime.microseconds() - processor) / 1_000
            let time = seconds(since: began)
            worker.cancel()
            try await worker.value
            return spent / time
        }
    }
}
