// SPDX-License-Identifier: MIT

import RestEssentials
public import SharedStore

extension CacheBackend {
    /// Returns what an engine does otherwise than its contract demands: a test of your own engine.
    ///
    /// ```swift
    /// #expect(await Shelf().contractViolations().isEmpty)
    /// ```
    ///
    /// It stores, reads and removes entries under keys that begin with `contract/`, also concurrently, and expects that
    /// nothing else uses these keys and that the engine drops none of them meanwhile.
    ///
    /// - Returns: The violations, as sentences without a full stop; empty if there are none.
    public func contractViolations() async -> [String] {
        var violations: [String] = []
        func expect(_ rule: String, _ check: () async throws -> Bool) async {
            do {
                if try await !check() {
                    violations.append(rule)
                }
            } catch {
                violations.append("\(rule) (\(error))")
            }
        }
        let prefix = "contract/\(UInt64.random(in: .min ... .max))/"
        let key = prefix + "e\u{301}"
        let storedAt = Date(timeIntervalSince1970: 1_234_567_890.123_456)
        let entry = CacheEntry(
            body: Data((0...255).map { UInt8($0) }),
            metadata: Data([0, 255, 10]),
            storedAt: storedAt,
            expiresAt: storedAt + 0.25,
            tags: ["a b", "\u{e9}", ""]
        )
        let other = CacheEntry(body: Data(), storedAt: storedAt)
        await expect("a key without an entry has none") { try await self.entry(for: key) == nil }
        await expect("removing a key without an entry returns false") { try await !remove(key) }
        await expect("an entry comes back with all its parts") {
            try await store(entry, for: key)
            return try await self.entry(for: key) == entry
        }
        await expect("keys are compared by their bytes") { try await self.entry(for: prefix + "\u{e9}") == nil }
        await expect("an entry replaces another one") {
            try await store(other, for: key)
            return try await self.entry(for: key) == other
        }
        await expect("keys are listed by their prefix") {
            try await store(other, for: prefix + "f")
            let all = try await keys(prefix: prefix)
            let one = try await keys(prefix: prefix + "f")
            return Set(all.map { Array($0.utf8) }) == Set([key, prefix + "f"].map { Array($0.utf8) })
                && all.count == 2 && one == [prefix + "f"]
        }
        await expect("a removed entry is gone") {
            let isRemoved = try await remove(key)
            let isThere = try await self.entry(for: key) != nil
            return isRemoved && !isThere
        }
        await expect("concurrent writes and reads find whole entries") {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<32 {
                    let size = number * 100
                    let entry = CacheEntry(
                        body: Data(repeating: UInt8(number), count: size),
                        metadata: Data([UInt8(number)]),
                        storedAt: storedAt
                    )
                    group.addTask {
                        try await store(entry, for: prefix + "\(number % 4)")
                        let found = try await self.entry(for: prefix + "\(number % 4)")
                        return found.map { found in
                            found.body.count == Int(found.metadata.first ?? 0) * 100
                                && found.body.allSatisfy { $0 == found.metadata.first }
                        } ?? false
                    }
                }
                return try await group.allSatisfy(\.self)
            }
        }
        for key in (try? await keys(prefix: prefix)) ?? [] {
            await expect("an entry can be removed") { try await remove(key) }
        }
        return violations
    }
}
