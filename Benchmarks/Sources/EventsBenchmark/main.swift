// SPDX-License-Identifier: MIT

// Measures the cost of events: emits them, and sends calls to which a transport responds at once, without and with
// an observer. Prints time and allocations for each.
//
//     EventsBenchmark [--rounds N]

import BenchmarkSupport
import RestClient

let rounds = Arguments.value("--rounds").flatMap { Int($0) } ?? 5
let count = 20_000

/// Measures with a manager of its own; of the rounds, the one counts that the machine disturbed least.
@Sendable func cells(
    observed isObserved: Bool,
    _ work: @escaping @Sendable (RestClientManager) async throws -> Void
) async throws -> [String] {
    var configuration = RestClientManager.Configuration()
    configuration.transport = InstantTransport()
    let manager = RestClientManager(configuration: configuration)
    let observation = isObserved ? manager.observe { _ in } : nil
    var best: Measurement?
    for _ in 0..<max(1, rounds) {
        let measurement = try await Measurement.of(count) { try await work(manager) }
        if measurement.nanoseconds < best?.nanoseconds ?? .infinity {
            best = measurement
        }
    }
    withExtendedLifetime(observation) {}
    return [
        Table.text(best?.nanoseconds ?? 0, 0),
        best?.allocations.map { Table.text($0, 2) } ?? "not counted",
    ]
}

@Sendable func run() async throws {
    let table = Table(widths: [20, 16, 12, 16, 12])
    print(table.line(["", "nobody hears: ns", "allocations", "one observer: ns", "allocations"]))
    let subjects: [(title: String, work: @Sendable (RestClientManager) async throws -> Void)] = [
        ("an event", { $0.emit("event") }),
        ("a call of 5 events", { try await $0.request(Void.self).url("https://api.example.com/hello").send() }),
    ]
    for subject in subjects {
        let unheard = try await cells(observed: false, subject.work)
        let heard = try await cells(observed: true, subject.work)
        print(table.line([subject.title] + unheard + heard))
    }
}

try await run()
