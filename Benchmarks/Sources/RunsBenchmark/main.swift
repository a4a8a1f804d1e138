// SPDX-License-Identifier: MIT

// Measures durable runs that processes share on one SQLite file, whose commits are flushed to the disk.
//
//     RunsBenchmark [--rounds N] [--runs N] [--workers N] [--limit N] [--only TEXT]
//
// --runs says how many runs a round has (2000), --workers how many processes work them (4), --limit how many each of them
// has at a time (16). With --only it measures what has the text in its title.

import BenchmarkSupport
import Dispatch
import Foundation

// Not from the main actor: each await of nonisolated work would cost a hop from there.
let done = DispatchSemaphore(value: 0)
Task.detached {
    defer { done.signal() }
    do {
        try await run()
    } catch {
        print("failed: \(error)")
    }
}
done.wait()

@Sendable func run() async throws {
    let limit = Arguments.value("--limit").flatMap(Int.init) ?? 16
    if let folder = Arguments.value("--worker") {
        return try await RunsWorker(URL(filePath: folder), limit: limit).work()
    }
    let rounds = Arguments.value("--rounds").flatMap(Int.init) ?? 5
    let only = Arguments.value("--only") ?? ""
    let measurements = Measurements(
        runs: Arguments.value("--runs").flatMap(Int.init) ?? 2_000,
        workers: Arguments.value("--workers").flatMap(Int.init) ?? 4,
        limit: limit
    )
    print("\(rounds) rounds, \(measurements.runs) runs, \(measurements.workers) processes; median (lowest-highest).")
    let table = Table(widths: [44, 10, 26, 14])
    print(table.line(["", "unit", "result", "bar"]))
    for measurement in measurements.all where only.isEmpty || measurement.title.contains(only) {
        var results: [Double] = []
        for _ in 0..<rounds {
            results.append(try await measurement.measure())
        }
        let median = Table.text(Table.median(results), measurement.digits)
        let ends = [results.min() ?? 0, results.max() ?? 0].map { Table.text($0, measurement.digits) }
        print(
            table.line([
                measurement.title, measurement.unit, "\(median) (\(ends.joined(separator: "-")))", measurement.bar,
            ])
        )
    }
}
