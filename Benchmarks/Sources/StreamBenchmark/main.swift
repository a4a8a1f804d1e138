// SPDX-License-Identifier: MIT

// Moves 1 GiB down, into a file and up, over this library, over bare HTTPClient and by curl, if that is installed, in
// one run: the contenders take turns. It prints the median of the rounds' ratios with their spread, and by how much the
// memory grew at most.
//
//     StreamBenchmark [--rounds N] [--megabytes N] [--direction NAME] [--only NAME]
//
// --direction runs one of "down", "to a file", "up" and "up from a file" alone.
// The growth is that of the most memory that was resident at any time, so that it belongs to the first contender that
// causes it; with --only, which runs the contenders of that name alone, it is theirs. Processes of their own have none.

import BenchmarkSupport
import Dispatch
import Foundation

let rounds = Arguments.value("--rounds").flatMap(Int.init) ?? 3
let count = (Arguments.value("--megabytes").flatMap(Int.init) ?? 1_024) << 20

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
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stream-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder.appendingPathComponent("source"))
    let server = try ServerProcess()
    let contenders = try Contenders(address: server.address, folder: folder)
    let table = Table(widths: [16, 34, 10, 20, 12, 14])
    print("\(rounds) rounds of \(count >> 20) MiB; ratios are taken in each round, median (min-max).")
    print(table.line(["direction", "contender", "MB/s", "ratio", "cpu ms/GiB", "memory +MiB"]))
    let name = Arguments.value("--direction")
    for direction in contenders.directions where name == nil || direction.name == name {
        let only = Arguments.value("--only")
        let list = direction.contenders.filter { only == nil || $0.name == only }
        let results = try await Rounds.run(list, rounds: rounds) {
            try await $0.transfer(count >> 4)
        } measure: {
            try await Measurement.of($0, count: count)
        }
        for (contender, own) in zip(list, results) {
            let ratios = zip(own, results[0]).map { $0.rate / $1.rate }
            let growth = contender.isProcess ? "-" : Table.text(own.map(\.growth).max() ?? 0, 1)
            print(
                table.line([
                    direction.name, contender.name, Table.text(Table.median(own.map(\.rate)), 0), Table.spread(ratios),
                    Table.text(Table.median(own.map(\.processorTime)), 0), growth,
                ])
            )
        }
    }
    try await contenders.shutdown()
}
