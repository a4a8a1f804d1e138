// SPDX-License-Identifier: MIT

// Compares the stores to what lies beneath them and to others of their kind, in one run: the contenders take turns, the
// order is reversed each round, and what is printed is the median of the rounds' ratios with their spread.
//
//     StoreBenchmark [--rounds N] [--only TEXT] [--alone NAME] [--times N] [--rows N]
//
// With --only it runs the comparisons whose title contains the text. For a profiler: with --alone as well, it runs the
// contender of that name once, without the others; --times says how often it does the work, and --rows how many rows
// there are on the disk.

import BenchmarkSupport
import Dispatch
import Foundation

if let file = Arguments.value("--echo") {
    try EchoProcess.answer(file: URL(fileURLWithPath: file))
    exit(0)
}

let rounds = Arguments.value("--rounds").flatMap(Int.init) ?? 5
let only = Arguments.value("--only") ?? ""
let alone = Arguments.value("--alone")
let times = Arguments.value("--times").flatMap(Int.init)

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
    let folder = FileManager.default.temporaryDirectory.appending(path: "StoreBenchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let families: [(titles: String, comparisons: @Sendable () async throws -> [Comparison])] = [
        ("gzip gunzip seal open", { try CodecComparisons.all() }),
        ("read from memory", { try await MemoryComparisons.all(folder: folder) }),
        ("write until observed, one process; there and back", { try ObservationComparisons.all(folder: folder) }),
        ("read; write, one at a time; write, 100 at a time", { try await DiskComparisons.all(folder: folder) }),
    ]
    print("\(rounds) rounds. Ratios are taken in each round; median (min-max).")
    let table = Table(widths: [34, 32, 11, 11, 18, 18])
    print(table.line(["", "", "ns each", "cpu ns", "speed ratio", "time ratio"]))
    // Titles that end in a size are listed without it.
    let stem = only.prefix { !$0.isNumber }
    for family in families where stem.isEmpty || family.titles.contains(stem) {
        for comparison in try await family.comparisons() where only.isEmpty || comparison.title.contains(only) {
            try await run(comparison, table)
        }
    }
}

@Sendable func run(_ comparison: Comparison, _ table: Table) async throws {
    let contenders = comparison.contenders.filter { alone == nil || $0.name == alone }
    let count = times ?? comparison.count
    var seed: UInt64 = 0
    let results = try await Rounds.run(contenders, rounds: alone == nil ? rounds : 1) {
        seed += 1
        _ = try await Measurement.of($0, count: max(1, count / 10), seed: seed)
    } measure: {
        seed += 1
        return try await Measurement.of($0, count: count, seed: seed)
    }
    for (contender, own) in zip(contenders, results) {
        let ratios = zip(own, results[0]).map { $0.time / $1.time }
        print(
            table.line([
                comparison.title, contender.name, Table.text(Table.median(own.map(\.time)), 0),
                Table.text(Table.median(own.map(\.processorTime)), 0), Table.spread(ratios.map { 1 / $0 }),
                Table.spread(ratios),
            ])
        )
    }
}
