// SPDX-License-Identifier: MIT

// Compares running many jobs with this library to the plainest means of the language, in one run: the contenders take
// turns, the order is reversed each round, and what is printed is the median of the rounds' ratios with their spread.
//
//     JobsBenchmark [--rounds N] [--only TEXT] [--alone NAME]
//
// With --only it runs the comparisons whose title contains the text. With --alone as well, it runs the contender of
// that name once, without the others, for a profiler.

import BenchmarkSupport
import Dispatch

let rounds = Arguments.value("--rounds").flatMap(Int.init) ?? 5
let only = Arguments.value("--only") ?? ""
let alone = Arguments.value("--alone")

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
    print("\(rounds) rounds. Ratios are taken in each round; median (min-max).")
    let table = Table(widths: [22, 32, 9, 9, 18])
    if alone == nil, only.isEmpty || "memory".contains(only) {
        // First, because memory that was freed is not given back at once.
        for line in try await WaitingMemory.measure() {
            print(table.line(["memory", line.name, "", "", "\(line.bytes) bytes each"]))
        }
    }
    print(table.line(["", "", "us each", "cpu us", "time ratio"]))
    for comparison in PoolComparisons.all() + GraphComparisons.all()
    where only.isEmpty || comparison.title.contains(only) {
        try await run(comparison, table)
    }
    if alone == nil, only.isEmpty || "utilisation".contains(only) {
        let results = try await Rounds.run(Utilisation.contenders, rounds: rounds) {
            _ = try await $0.run()
        } measure: {
            try await $0.run()
        }
        print(table.line(["", "", "", "", "share"]))
        for (contender, shares) in zip(Utilisation.contenders, results) {
            print(table.line(["utilisation, 1 ms", contender.name, "", "", Table.spread(shares)]))
        }
    }
}

@Sendable func run(_ comparison: Comparison, _ table: Table) async throws {
    let contenders = comparison.contenders.filter { alone == nil || $0.name == alone }
    let results = try await Rounds.run(contenders, rounds: alone == nil ? rounds : 1) {
        _ = try await Measurement.of($0, count: max(1, comparison.count / 10))
    } measure: {
        try await Measurement.of($0, count: comparison.count)
    }
    for (contender, own) in zip(contenders, results) {
        print(
            table.line([
                comparison.title, contender.name, Table.text(Table.median(own.map(\.time)), 3),
                Table.text(Table.median(own.map(\.processorTime)), 3),
                Table.spread(zip(own, results[0]).map { $0.time / $1.time }),
            ])
        )
    }
}
