// SPDX-License-Identifier: MIT

// Compares this library, with all its layers, to bare HTTPClient in one run: the contenders take turns, the order is
// reversed each round, and what is printed is the median of the rounds' ratios with their spread.
//
//     HTTPBenchmark [--rounds N] [--requests N] [--only NAME] [--concurrency N]
//         [--server ADDRESS [--roots FILE] [--http2]]
//
// With --only it runs that contender alone, at concurrency 16 or N, for a profiler. So it can run parts of the others:
// "transport" is RestClient without its layers, and "HTTPClient, delegate" is HTTPClient without async functions. With
// --server it uses a server that was started by hand, such as one of TLS whose certificate is in a file; with --http2
// that may choose HTTP/2, and 256 requests at once take part too: over HTTP/1.1 they would be 256 connections.

import BenchmarkSupport
import Dispatch
import Foundation

let rounds = Arguments.value("--rounds").flatMap(Int.init) ?? 5
let requests = Arguments.value("--requests").flatMap(Int.init) ?? 20_000

// Not from the main actor: each await of nonisolated work would cost a hop from there. And the main thread waits
// instead of handing itself to the dispatcher, which valgrind cannot follow.
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
    let server = try ServerProcess(address: Arguments.value("--server"))
    let usesHTTP2 = CommandLine.arguments.contains("--http2")
    let contenders = try Contenders(
        address: server.address,
        roots: Arguments.value("--roots"),
        usesHTTP2: usesHTTP2
    )
    if let name = Arguments.value("--only") {
        let concurrency = Arguments.value("--concurrency").flatMap(Int.init) ?? 16
        let all = contenders.raw + contenders.typed + contenders.parts
        for contender in all where contender.name == name {
            let result = try await Measurement.of(contender, count: requests, concurrency: concurrency)
            print("\(contender.name): \(Int(result.rate)) req/s, \(result.processorTime) us cpu")
        }
        try await contenders.shutdown()
        return
    }
    print("\(rounds) rounds of \(requests) requests, a third of that one at a time.")
    print("Ratios are taken in each round; median (min-max).")
    print(RequestTable.head)
    for (group, list) in [("raw", contenders.raw), ("typed", contenders.typed)] {
        for concurrency in usesHTTP2 ? [1, 16, 64, 256] : [1, 16, 64] {
            let count = concurrency == 1 ? requests / 3 : requests
            let results = try await Rounds.run(list, rounds: rounds) {
                _ = try await Measurement.of($0, count: max(1, count / 10), concurrency: concurrency)
            } measure: {
                try await Measurement.of($0, count: count, concurrency: concurrency)
            }
            for (contender, own) in zip(list, results) {
                print(RequestTable.row("\(group): \(contender.name)", concurrency, own, comparedTo: results[0]))
            }
        }
    }
    try await contenders.shutdown()
}
