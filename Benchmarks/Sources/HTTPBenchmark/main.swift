// SPDX-License-Identifier: MIT

// Compares this library, with all its layers, to bare HTTPClient in one run: the contenders take turns, the order is
// reversed each round, and what is printed is the median of the rounds' ratios with their spread.
//
//     HTTPBenchmark [--rounds N] [--requests N] [--only NAME] [--concurrency N] [--server ADDRESS]
//
// With --only it runs that contender alone, at concurrency 16 or N, for a profiler. With --server it uses a BenchmarkServer that
// was started by hand, where a profiler cannot start one.

import Dispatch
import Foundation

@Sendable func argument(_ name: String) -> String? {
    CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
}

let rounds = argument("--rounds").flatMap(Int.init) ?? 5
let requests = argument("--requests").flatMap(Int.init) ?? 20_000

// Not from the main actor: each await of nonisolated work would cost a hop from there. And the main thread waits instead
// of handing itself to the dispatcher, which valgrind cannot follow.
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
    let server = try ServerProcess(address: argument("--server"))
    let contenders = try Contenders(address: server.address)
    if let name = argument("--only") {
        let concurrency = argument("--concurrency").flatMap(Int.init) ?? 16
        for contender in contenders.raw + contenders.typed where contender.name == name {
            let result = try await Measurement.of(contender, count: requests, concurrency: concurrency)
            print("\(contender.name): \(Int(result.rate)) req/s, \(result.processorTime) us cpu")
        }
        try await contenders.shutdown()
        return
    }
    print("\(rounds) rounds of \(requests) requests, a third of that one at a time.")
    print("Ratios are taken in each round; median (min-max).")
    print(Table.head)
    for (group, list) in [("raw", contenders.raw), ("typed", contenders.typed)] {
        for concurrency in [1, 16, 64] {
            let count = concurrency == 1 ? requests / 3 : requests
            let results = try await Rounds.run(list, rounds: rounds, count: count, concurrency: concurrency)
            for (contender, own) in zip(list, results) {
                print(Table.row("\(group): \(contender.name)", concurrency, own, comparedTo: results[0]))
            }
        }
    }
    try await contenders.shutdown()
}
