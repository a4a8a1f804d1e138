// SPDX-License-Identifier: MIT

// Measures from outside what starting a program costs: the smallest one on this library, and the smallest one on
// AsyncHTTPClient. Each is started in turns, alone and with one request to a server on loopback.
//
//     StartBenchmark [--rounds N]

import BenchmarkSupport
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// One run of a program.
struct Run {
    /// From its start to its end, in milliseconds.
    let time: Double
    /// User and system time, in milliseconds.
    let processorTime: Double
    /// The most memory that was resident, in mebibytes.
    let memory: Double

    /// Runs a program to its end.
    init(_ path: String, _ arguments: [String]) {
        var pid = pid_t()
        var strings = ([path] + arguments).map { strdup($0) } + [nil]
        defer {
            for string in strings {
                free(string)
            }
        }
        let clock = ContinuousClock()
        let start = clock.now
        guard posix_spawn(&pid, path, nil, nil, &strings, environ) == 0 else {
            fatalError("\(path) does not start")
        }
        var (status, usage) = (CInt(), rusage())
        guard wait4(pid, &status, 0, &usage) == pid, status == 0 else {
            fatalError("\(path) failed with \(status)")
        }
        time = (clock.now - start) / .milliseconds(1)
        func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1_000 + Double(time.tv_usec) / 1_000 }
        processorTime = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
        memory = Double(usage.ru_maxrss) / 1_024
    }
}

let rounds = Arguments.value("--rounds").flatMap(Int.init) ?? 41
let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
let server = try ServerProcess()
let programs = ["SmallestHTTPClient", "SmallestClient"]
let table = Table(widths: [20, 14, 10, 10, 10, 24])
print("\(rounds) rounds; medians, and the median of the rounds' differences to the first (lowest to highest).")
print(table.line(["program", "", "ms", "cpu ms", "MiB", "ms more"]))
for (title, arguments) in [("alone", []), ("one request", [server.address + "/users/7/record"])] {
    let results = try await Rounds.run(programs, rounds: rounds) { program in
        _ = Run(folder.appendingPathComponent(program).path, arguments)
    } measure: { program in
        Run(folder.appendingPathComponent(program).path, arguments)
    }
    for (program, own) in zip(programs, results) {
        print(
            table.line([
                program, title, Table.text(Table.median(own.map(\.time)), 2),
                Table.text(Table.median(own.map(\.processorTime)), 2), Table.text(Table.median(own.map(\.memory)), 1),
                Table.spread(zip(own, results[0]).map { $0.time - $1.time }),
            ])
        )
    }
}
