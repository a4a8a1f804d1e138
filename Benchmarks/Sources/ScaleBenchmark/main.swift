// SPDX-License-Identifier: MIT

// Measures what one of many costs: calls that are in flight at once, over a transport that responds to none of them
// before all of them are there, and entries of a cache.
//
//     ScaleBenchmark [--rounds N] [--calls N] [--entries N] [--only calls | entries]
//
// --calls and --entries are the largest numbers; a tenth and a hundredth of them are measured too. What is printed is
// the median of the rounds. A call's memory is the growth of what is resident while all of them wait, so that of the
// first round counts, and a smaller number is measured before a larger one.

import BenchmarkSupport
import Dispatch
import Foundation
import SharedStore

let rounds = Arguments.value("--rounds").flatMap(Int.init) ?? 3
let calls = Arguments.value("--calls").flatMap(Int.init) ?? 100_000
let entries = Arguments.value("--entries").flatMap(Int.init) ?? 1_000_000
let only = Arguments.value("--only")
let table = Table(widths: [12, 34, 12, 12, 12])

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
    print("\(rounds) rounds; medians. The memory is that of each one while all of them are there.")
    print(table.line(["how many", "what", "us each", "cpu us", "bytes each"]))
    if only != "entries" {
        try await measureCalls()
    }
    if only != "calls" {
        try await measureEntries()
    }
}

@Sendable func measureCalls() async throws {
    for count in [calls / 100, calls / 10, calls] {
        var results: [(tasks: Measurement, calls: Measurement)] = []
        for _ in 0..<rounds {
            results.append((try await .ofTasks(count), try await .ofCalls(count)))
        }
        report(count, "tasks that wait", results.map(\.tasks), memory: results[0].tasks.memory)
        report(count, "calls in flight", results.map(\.calls), memory: results[0].calls.memory)
    }
}

@Sendable func measureEntries() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ScaleBenchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for isInMemory in [true, false] {
        for count in [entries / 100, entries / 10, entries] {
            var configuration = ExpiringCache.Configuration()
            configuration.countLimit = nil
            configuration.byteLimit = nil
            configuration.memoryByteLimit = isInMemory ? 4 << 30 : 0
            let file = folder.appending(path: "\(count).sqlite")
            let cache =
                isInMemory
                ? ExpiringCache(configuration: configuration)
                : try ExpiringCache(file: file, configuration: configuration)
            defer { cache.close() }
            let name = isInMemory ? "memory" : "SQLite"
            let filling = try await Measurement.ofFilling(cache, count)
            report(count, "\(name): fill", [filling], memory: isInMemory ? filling.memory : nil)
            var (reads, writes): ([Measurement], [Measurement]) = ([], [])
            for _ in 0..<rounds {
                reads.append(
                    try await .ofEntries(count, cache, 20_000) { cache, key in
                        guard try await cache.read(key).entry?.body.count == 100 else {
                            fatalError("an entry is missing")
                        }
                    }
                )
                writes.append(
                    try await .ofEntries(count, cache, 2_000) { cache, key in
                        try await cache.store(Measurement.entry, for: key)
                    }
                )
            }
            report(count, "\(name): read", reads, memory: nil)
            report(count, "\(name): replace, one at a time", writes, memory: nil)
        }
    }
}

@Sendable func report(_ count: Int, _ name: String, _ results: [Measurement], memory: Double?) {
    print(
        table.line([
            "\(count)", name, Table.text(Table.median(results.map(\.time)), 2),
            Table.text(Table.median(results.map(\.processorTime)), 2), memory.map { Table.text($0, 0) } ?? "",
        ])
    )
}
