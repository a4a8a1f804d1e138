// SPDX-License-Identifier: MIT

import Foundation
import SharedStore

/// From a write to the observer that hears of it.
enum ObservationComparisons {
    static func all(folder: URL) throws -> [Comparison] {
        [try within(folder), try across(folder)]
    }

    private static func within(_ folder: URL) throws -> Comparison {
        let memory = SharedData()
        let file = try SharedData(file: folder.appending(path: "observed.sqlite"), configuration: EchoProcess.quick)
        return Comparison(
            title: "write until observed, one process",
            count: 3000,
            contenders: [
                Contender(name: "AsyncStream") { count, _ in
                    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                    var iterator = stream.makeAsyncIterator()
                    for number in 0..<count {
                        // From another thread, as the observers' values come.
                        DispatchQueue.global().async { continuation.yield(number) }
                        let value = await iterator.next()
                        expect(value == number)
                    }
                },
                Contender(name: "SharedData in memory") { count, seed in try await observe(memory, count, seed) },
                Contender(name: "SharedData on a file") { count, seed in try await observe(file, count, seed) },
            ]
        )
    }

    private static func observe(_ data: SharedData, _ count: Int, _ seed: UInt64) async throws {
        let key = SharedKey<Int>("value")
        var changes = data.changes(for: key).makeAsyncIterator()
        for number in 0..<count {
            try data.set(Int(seed % 1000) * 1_000_000 + number, for: key)
            let change = await changes.next(isolation: nil)
            expect(change?.newValue.map { $0 % 1_000_000 } == number)
        }
    }

    private static func across(_ folder: URL) throws -> Comparison {
        let file = folder.appending(path: "across.sqlite")
        let data = try SharedData(file: file, configuration: EchoProcess.quick)
        let other = try EchoProcess(file: file)
        return Comparison(
            title: "there and back, two processes",
            count: 1000,
            contenders: [
                Contender(name: "pipe") { count, _ in
                    for _ in 0..<count { other.exchangeByte() }
                },
                Contender(name: "SharedData") { count, seed in
                    var changes = data.changes(for: EchoProcess.answer).makeAsyncIterator()
                    for number in 0..<count {
                        let asked = Int(seed % 1000) * 1_000_000 + number
                        try data.set(asked, for: EchoProcess.question)
                        while let change = await changes.next(isolation: nil), change.newValue != asked {}
                    }
                },
            ]
        )
    }
}
