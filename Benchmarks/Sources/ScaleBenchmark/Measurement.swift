// SPDX-License-Identifier: MIT

import BenchmarkSupport
import Foundation
import RestClient
import SharedStore
import Synchronization

/// The cost of one of many.
struct Measurement: Sendable {
    /// The time of each, in microseconds.
    let time: Double
    /// The processor time of each, in microseconds.
    let processorTime: Double
    /// The memory of each while all of them are there, in bytes.
    let memory: Double

    /// Runs operations, so many of which are held at once.
    private static func ofHeld(
        _ count: Int,
        _ makeOperation: (HeldTransport) -> @Sendable () async throws -> Void
    ) async throws -> Measurement {
        let peak = Mutex(0)
        let transport = HeldTransport(count) {
            peak.withLock { $0 = ResidentMemory.bytes() }
        }
        let operation = makeOperation(transport)
        let before = ResidentMemory.bytes()
        let clock = ContinuousClock()
        let processor = ProcessorTime.microseconds()
        let start = clock.now
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<count {
                group.addTask { try await operation() }
            }
        }
        return Measurement(
            time: (clock.now - start) / .microseconds(1) / Double(count),
            processorTime: (ProcessorTime.microseconds() - processor) / Double(count),
            memory: Double(max(0, peak.withLock { $0 } - before)) / Double(count)
        )
    }

    /// So many calls at once, each in a task of its own.
    static func ofCalls(_ count: Int) async throws -> Measurement {
        try await ofHeld(count) { transport in
            var configuration = RestClientManager.Configuration()
            configuration.transport = transport
            let manager = RestClientManager(configuration: configuration)
            manager.workers.size = 0
            manager.servers["bench"] = "https://bench.example"
            manager.defaultServer = "bench"
            return {
                _ = try await manager.request(Data.self).endpoint("/record").send()
            }
        }
    }

    /// So many tasks at once that only wait.
    static func ofTasks(_ count: Int) async throws -> Measurement {
        try await ofHeld(count) { transport in
            { await transport.hold() }
        }
    }

    /// Reads, or replacements, among so many entries of 100 bytes.
    static func ofEntries(
        _ count: Int,
        _ cache: ExpiringCache,
        _ times: Int,
        _ operation: (ExpiringCache, String) async throws -> Void
    ) async throws -> Measurement {
        let clock = ContinuousClock()
        let processor = ProcessorTime.microseconds()
        let start = clock.now
        for number in 0..<times {
            // An order that looks random and is the same in each run.
            try await operation(cache, key(number &* 7_919 % count))
        }
        return Measurement(
            time: (clock.now - start) / .microseconds(1) / Double(times),
            processorTime: (ProcessorTime.microseconds() - processor) / Double(times),
            memory: 0
        )
    }

    /// Fills a cache; the memory is that of each entry.
    static func ofFilling(_ cache: ExpiringCache, _ count: Int) async throws -> Measurement {
        let before = ResidentMemory.bytes()
        let clock = ContinuousClock()
        let processor = ProcessorTime.microseconds()
        let start = clock.now
        // Many writers share a transaction.
        let writers = 100
        try await withThrowingDiscardingTaskGroup { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in stride(from: writer, to: count, by: writers) {
                        try await cache.store(entry, for: key(number))
                    }
                }
            }
        }
        return Measurement(
            time: (clock.now - start) / .microseconds(1) / Double(count),
            processorTime: (ProcessorTime.microseconds() - processor) / Double(count),
            memory: Double(max(0, ResidentMemory.bytes() - before)) / Double(count)
        )
    }

    static let entry = CacheEntry(body: Data(repeating: 7, count: 100))

    static func key(_ number: Int) -> String {
        "https://bench.example/entries/\(number)"
    }
}
