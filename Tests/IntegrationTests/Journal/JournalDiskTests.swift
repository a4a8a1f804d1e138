// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import Synchronization
import Testing
import TinyDisk

/// Runs with a journal on a disk without room.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: TinyDisk.isAvailable, "this user may not mount a small file system")
)
struct JournalDiskTests {
    /// Steps in sequence, each with a large result, followed by an unsafe call.
    private func graph(_ note: @escaping @Sendable (Int) -> Void) -> JobGraph {
        var graph = JobGraph("large")
        var last = graph.local("0") { "" }
        for number in 1...60 {
            last = graph.local("\(number)", after: last) { _ in
                note(number)
                // Different bytes, so that no page is like another.
                return (0..<4_000).map { "\($0 &* number)" }.joined(separator: ",")
            }
        }
        graph.request("charge", after: last) { _ in RequestNode(Void.self).endpoint("/charge").method(.post) }
        return graph
    }

    private func manager(_ disk: TinyDisk) throws -> RestClientManager {
        let manager = RestClientManager()
        manager.servers["store"] = "https://api.example.com"
        manager.defaultServer = "store"
        manager.dummies.mode = .strict
        manager.dummies.register(.post, "/charge") { _ in .status(.noContent) }
        try manager.persist(in: disk.url)
        return manager
    }

    @Test
    func `a full disk fails the node that cannot be kept, and the run goes on when there is room`() async throws {
        let disk = try TinyDisk(megabytes: 2)
        let done = Mutex<[Int]>([])
        let graph = graph { number in done.withLock { $0.append(number) } }
        let first = try await manager(disk).run(graph, journal: "large")
        #expect(first.status == .failure)
        let error = #expect(throws: StoreError.self) { try first.check() }
        #expect(error?.code == .diskFull)
        let kept = first.nodes.count { $0.status == .success }
        #expect((2..<60).contains(kept))
        #expect(first.node("charge")?.status == .skipped)

        try disk.remount("size=32m")
        let second = try await manager(disk).run(graph, journal: "large")
        #expect(second.isSuccess)
        #expect(second.nodes.count { $0.status == .resumed } == kept)
        // Only what could not be kept was done again.
        #expect(done.withLock { $0.count } == 61)
    }

    @Test
    func `an unsafe request that cannot be recorded does not go out`() async throws {
        let disk = try TinyDisk(megabytes: 2)
        let manager = try manager(disk)
        let isFull = Mutex(true)
        var graph = JobGraph("charge")
        graph.request("charge") {
            if isFull.withLock({ $0 }) {
                fill(disk)
            }
            return RequestNode(Void.self).endpoint("/charge").method(.post)
        }
        let run = try await manager.run(graph, journal: "charge")
        #expect((run.node("charge")?.error as? StoreError)?.code == .diskFull)
        #expect(manager.dummies.calls.isEmpty)

        isFull.withLock { $0 = false }
        try FileManager.default.removeItem(at: disk.url.appending(path: "filler"))
        #expect(try await manager.run(graph, journal: "charge").isSuccess)
        #expect(manager.dummies.calls.count == 1)
    }

    /// Takes all the room that is left.
    private func fill(_ disk: TinyDisk) {
        let filler = disk.url.appending(path: "filler")
        _ = FileManager.default.createFile(atPath: filler.path, contents: nil)
        guard let handle = try? FileHandle(forWritingTo: filler) else {
            return
        }
        for size in [1 << 16, 1 << 12, 1 << 6, 1] {
            while (try? handle.write(contentsOf: Data(repeating: 7, count: size))) != nil {}
        }
        try? handle.close()
    }
}
