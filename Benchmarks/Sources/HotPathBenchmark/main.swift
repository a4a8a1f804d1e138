// SPDX-License-Identifier: MIT

// Measures the most frequent paths of programs, without a network, and prints the cost of each: allocations, which
// are the same in every run, and time, which is not.
//
//     HotPathBenchmark [--times N] [--only NAME]
//     HotPathBenchmark --names
//
// Instructions come from Scripts/bench-check, or by function from a profiler, as the difference of two runs that differ
// in --times alone:
//
//     valgrind --tool=callgrind --callgrind-out-file=FILE HotPathBenchmark --only "hit, bytes" --times 2000

import BenchmarkSupport
import CAllocationCounter
import Dispatch
import Foundation

let times = Arguments.value("--times").flatMap(Int.init) ?? 20_000
let only = Arguments.value("--only")

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
    let folder = FileManager.default.temporaryDirectory.appending(path: "HotPathBenchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    if CommandLine.arguments.contains("--names") {
        for path in try await HotPath.all(in: folder) { print(path.name) }
        return
    }
    let table = Table(widths: [34, 10, 12])
    print(table.line(["", "us", "allocations"]))
    for path in try await HotPath.all(in: folder, only: only) {
        for number in 0..<(path.isLong ? 50 : HotPath.count * 2) { try await path.run(number % HotPath.count) }
        let clock = ContinuousClock()
        let allocations = allocation_count()
        let start = clock.now
        for number in 0..<times { try await path.run(number % HotPath.count) }
        let each = (clock.now - start) / times
        let allocated = Double(allocation_count() - allocations) / Double(times)
        print(
            table.line([
                path.name, Table.text(Double(each.attoseconds) / 1e12, 2),
                allocations < 0 ? "not counted" : Table.text(allocated, 1),
            ])
        )
    }
}
