// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Shared data in memory that become durable.
@Suite(.timeLimit(.minutes(5)))
struct SharedDataAttachingTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test
    func `memory wins over the file and the rest of the file appears`() throws {
        let file = try DataEngine.file.make(in: folder)
        try file.set(1, for: .count)
        try file.set(5, for: SharedKey<Int>("other"))
        let data = SharedData()
        try data.set(2, for: .count)
        #expect(try data.value(for: SharedKey<Int>("other")) == nil)

        try data.attach(file: folder.file())

        #expect(try data.value(for: .count) == 2)
        #expect(try data.value(for: SharedKey<Int>("other")) == 5)
        #expect(data.file?.path == folder.file().path)
        #expect(try SharedData(file: folder.file()).value(for: .count) == 2)
    }

    @Test
    func `attaching to the same file again does nothing and to another one is an error`() throws {
        let data = SharedData()
        try data.attach(file: folder.file())
        try data.set(1, for: .count)

        try data.attach(file: folder.file())
        try data.attach(file: folder.url.appending(path: "./store.sqlite"))
        let error = #expect(throws: StoreError.self) { try data.attach(file: folder.file("other.sqlite")) }

        #expect(error?.code == .alreadyAttached)
        #expect(try data.value(for: .count) == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.file("other.sqlite").path))
    }

    @Test
    func `a file that cannot be used leaves everything in memory as it was`() throws {
        try Data("garbage, and quite a lot of it".utf8).write(to: folder.file())
        let data = SharedData()
        try data.set(1, for: .count)

        let error = #expect(throws: StoreError.self) { try data.attach(file: folder.file()) }

        #expect(error?.code == .notADatabase)
        #expect(data.file == nil)
        #expect(try data.value(for: .count) == 1)
        try data.set(2, for: .count)
        try data.attach(file: folder.file("good.sqlite"))
        #expect(try SharedData(file: folder.file("good.sqlite")).value(for: .count) == 2)
    }

    @Test
    func `no concurrent set is lost while values are carried over`() async throws {
        let data = SharedData()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for round in 0..<200 { try data.set(round, for: SharedKey<Int>("\(writer)/\(round)")) }
                }
            }
            group.addTask {
                for round in 0..<200 { try data.modify(.count) { $0 = ($0 ?? 0) + 1 + round * 0 } }
            }
            group.addTask { try data.attach(file: folder.file()) }
            try await group.waitForAll()
        }

        let again = try SharedData(file: folder.file())
        #expect(try again.names().count == 801)
        #expect(try again.value(for: .count) == 200)
    }
}
