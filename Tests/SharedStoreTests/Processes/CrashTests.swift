// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// A process that writes is killed at random moments; what it acknowledged must be there.
///
/// `SHARED_STORE_CRASH_ROUNDS` sets the number of rounds: 200 in the full run, 12 without it.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: HelperProcess.executable != nil, "SharedStoreCrashHelper was not built")
)
struct CrashTests {
    private struct Payload: Codable, Sendable {
        var number: Int
        var filler: String

        var isWhole: Bool {
            filler == String(repeating: "\(number),", count: 1 + number * 37 % 3000)
        }
    }

    private var rounds: Int {
        ProcessInfo.processInfo.environment["SHARED_STORE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 12
    }

    @Test
    func `no acknowledged value is lost, none is torn, the file opens at once`() throws {
        var generator = SystemRandomNumberGenerator()
        let folder = try TemporaryFolder()
        var acknowledged = 0
        for _ in 0..<rounds {
            // The writer begins at zero in each round, on the file as the last round left it.
            let helper = try HelperProcess("set", folder.file())
            var newest: [String: Int] = [:]
            var last = -1
            func take(_ line: String) {
                guard let number = Int(line) else {
                    return
                }
                #expect(number == last + 1)
                last = number
                newest["key\(number % 20)"] = number
            }
            for _ in 0..<Int.random(in: 1...400, using: &generator) {
                if let line = helper.line() { take(line) }
            }
            helper.kill()
            for line in helper.remainingLines() { take(line) }
            acknowledged += last + 1

            let data = try SharedData(file: folder.file())
            for (name, number) in newest {
                let payload = try #require(try data.value(for: SharedKey<Payload>(name)))
                #expect(payload.isWhole)
                // At most the one write that was under way is newer than what was acknowledged.
                #expect(payload.number == number || payload.number == last + 1)
            }
            data.close()
        }
        #expect(acknowledged > rounds)
    }

    @Test
    func `no acknowledged entry is lost and none is torn`() async throws {
        var generator = SystemRandomNumberGenerator()
        let folder = try TemporaryFolder()
        for _ in 0..<rounds {
            let helper = try HelperProcess("store", folder.file())
            // Each writer's numbers grow, and two writers never share a key.
            var newest: [String: Int] = [:]
            func take(_ line: String) {
                guard let number = Int(line) else {
                    return
                }
                newest["key\(number % 20)"] = number
            }
            for _ in 0..<Int.random(in: 1...400, using: &generator) {
                if let line = helper.line() { take(line) }
            }
            helper.kill()
            for line in helper.remainingLines() { take(line) }

            let cache = try ExpiringCache(file: folder.file())
            #expect(cache.recovery == nil)
            for (key, number) in newest {
                let entry = try #require(try await cache.read(key).entry)
                let stored = try #require(Int(String(decoding: entry.metadata, as: UTF8.self)))
                #expect(stored == number || stored == number + 20)
                let filler = String(repeating: "\(stored),", count: 1 + stored * 37 % 3000)
                #expect(entry.body == Data(filler.utf8))
            }
            let usage = try await cache.statistics()
            let listed = try await cache.entries()
            #expect(usage.entryCount == listed.count)
            #expect(usage.byteCount == listed.reduce(0) { $0 + $1.byteCount })
            cache.close()
        }
    }
}
