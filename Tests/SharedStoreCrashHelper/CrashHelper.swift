// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The other process of the tests that need one: it writes until it is killed, counts, or watches.
///
/// It tells what it did line by line on its standard output, each line in one write. On Linux it must not link
/// libFoundation, which a test checks in place of every program that uses the library.
@main
struct CrashHelper {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            tell("usage: MODE FILE [COUNT]")
            exit(2)
        }
        let file = URL(filePath: arguments[2])
        let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
        switch arguments[1] {
        case "set": try setForEver(file)
        case "store": try await storeForEver(file)
        case "count": try countUp(file, count)
        case "move": try move(file, count)
        case "watch": try await watch(file)
        case "hammer": try await hammer(file, count)
        case "open-cache": open { () throws(StoreError) in try ExpiringCache(file: file).close() }
        case "open-shared": open { () throws(StoreError) in try SharedData(file: file).close() }
        case "write-shared":
            open { () throws(StoreError) in try SharedData(file: file).set(1, for: SharedKey<Int>("count")) }
        case "read-shared", "attach-shared":
            open { () throws(StoreError) in
                let data = arguments[1] == "read-shared" ? try SharedData(file: file) : SharedData()
                if arguments[1] == "attach-shared" { try data.attach(file: file) }
                repeat {
                    tell("\(try data.value(for: SharedKey<Int>("count")) ?? 0)")
                } while readLine() != nil
            }
        default: exit(2)
        }
    }

    /// Opens a store as a user who may do little, and tells how that went.
    static func open(_ body: () throws(StoreError) -> Void) {
        if getuid() == 0, setgroups(0, nil) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0 {
            return tell("still root")
        }
        do throws(StoreError) {
            try body()
            tell("opened")
        } catch {
            tell("\(error.code)")
        }
    }

    /// A user without rights, whether or not the system has a name for it.
    private static let nobody: UInt32 = 65534

    static func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // Nobody is left to kill this process once the test has died.
        guard unsafe write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else {
            exit(1)
        }
    }

    /// Sets values one by one and acknowledges each.
    static func setForEver(_ file: URL) throws {
        var configuration = SharedData.Configuration()
        configuration.durability = .processDeath
        let data = try SharedData(file: file, configuration: configuration)
        for number in 0... {
            let key = SharedKey<Payload>("key\(number % 20)", codec: number.isMultiple(of: 2) ? .gzip(level: 1) : .gzip)
            try data.set(Payload(number: number), for: key)
            tell("\(number)")
        }
    }

    /// Stores entries from several tasks and acknowledges each.
    static func storeForEver(_ file: URL) async throws {
        let cache = try ExpiringCache(file: file)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for round in 0... {
                        let number = round * 4 + writer
                        let payload = Payload(number: number)
                        let entry = CacheEntry(
                            body: Data(payload.filler.utf8),
                            metadata: Data("\(number)".utf8),
                            tags: ["t\(writer)"]
                        )
                        try await cache.store(entry, for: "key\(number % 20)")
                        tell("\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Adds one to a shared number so many times.
    static func countUp(_ file: URL, _ count: Int) throws {
        let data = try SharedData(file: file, configuration: quick)
        tell("ready")
        for _ in 0..<count { try data.modify(SharedKey<Int>("count")) { $0 = ($0 ?? 0) + 1 } }
        tell("done")
    }

    /// Moves one from the left to the right so many times.
    static func move(_ file: URL, _ count: Int) throws {
        let data = try SharedData(file: file, configuration: quick)
        let (left, right) = (SharedKey<Int>("left", default: 0), SharedKey<Int>("right", default: 0))
        tell("ready")
        for _ in 0..<count {
            try data.transaction { transaction in
                try transaction.set((transaction.value(for: left) ?? 0) - 1, for: left)
                try transaction.set((transaction.value(for: right) ?? 0) + 1, for: right)
            }
        }
        tell("done")
    }

    /// Echoes each change of one value as the same number in another.
    static func watch(_ file: URL) async throws {
        let data = try SharedData(file: file, configuration: quick)
        let changes = data.changes(for: SharedKey<Int>("question"))
        tell("ready")
        for await change in changes {
            guard let number = change.newValue else {
                continue
            }
            try data.set(number, for: SharedKey<Int>("answer"))
        }
    }

    /// Stores, reads and removes entries of a cache that others use too.
    static func hammer(_ file: URL, _ count: Int) async throws {
        var configuration = ExpiringCache.Configuration()
        configuration.countLimit = 50
        let cache = try ExpiringCache(file: file, configuration: configuration)
        tell("ready")
        for number in 0..<count {
            let payload = Payload(number: number)
            let metadata = Data("\(number)".utf8)
            try await cache.store(
                CacheEntry(body: Data(payload.filler.utf8), metadata: metadata, tags: ["t"]),
                for: "key\(number % 80)"
            )
            if let entry = try await cache.read("key\(number * 7 % 80)").entry {
                let expected = Payload(number: Int(String(decoding: entry.metadata, as: UTF8.self)) ?? -1)
                guard entry.body == Data(expected.filler.utf8) else {
                    tell("torn")
                    exit(1)
                }
            }
            if number % 97 == 0 { try await cache.removeAll(tag: "t") }
        }
        tell("done")
    }

    private static var quick: SharedData.Configuration {
        var configuration = SharedData.Configuration()
        configuration.durability = .processDeath
        return configuration
    }
}
