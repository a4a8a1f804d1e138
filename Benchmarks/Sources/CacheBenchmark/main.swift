// SPDX-License-Identifier: MIT

// Compares a stored response, through all of `send()`, to a raw read of the same row and to asking a server on
// loopback: the contenders take turns, the order is reversed each round, and what is printed is the median of the
// rounds' ratios.
//
//     CacheBenchmark [--rounds N] [--times N] [--only TITLE] [--alone NAME] [--server ADDRESS]
//
// --only takes one of the comparisons, bytes or model. For a profiler: with --alone as well, it runs the contender of
// that name once, without the others. With --server it uses a BenchmarkServer that was started by hand.

import BenchmarkSupport
import Dispatch
import Foundation

let rounds = Arguments.value("--rounds").flatMap(Int.init) ?? 7
let times = Arguments.value("--times").flatMap(Int.init) ?? 20_000
let only = Arguments.value("--only")
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
    let folder = FileManager.default.temporaryDirectory.appending(path: "CacheBenchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try ServerProcess(address: Arguments.value("--server"))
    let comparisons = try await Contenders.all(address: server.address, folder: folder)
    print("\(rounds) rounds of \(times). Ratios are taken in each round; median (min-max).")
    let table = Table(widths: [8, 32, 10, 10, 20, 20])
    print(table.line(["", "", "us each", "cpu us", "speed ratio", "time ratio"]))
    for comparison in comparisons where only == nil || comparison.title == only {
        let contenders = comparison.contenders.filter { alone == nil || $0.name == alone }
        let results = try await Rounds.run(contenders, rounds: alone == nil ? rounds : 1) {
            _ = try await Measurement.of($0, count: max(1, times / 10), answers: Contenders.count)
        } measure: {
            try await Measurement.of($0, count: times, answers: Contenders.count)
        }
        for (contender, own) in zip(contenders, results) {
            let ratios = zip(own, results[0]).map { $0.time / $1.time }
            print(
                table.line([
                    comparison.title, contender.name, Table.text(Table.median(own.map(\.time)), 2),
                    Table.text(Table.median(own.map(\.processorTime)), 2), Table.spread(ratios.map { 1 / $0 }),
                    Table.spread(ratios),
                ])
            )
        }
    }
}
