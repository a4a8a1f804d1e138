// SPDX-License-Identifier: MIT
import Foundation
import SharedStore
import Testing

extension SharedKey where Value == Int {
    static var count: Self { .init("count") }
}

struct Session: Codable, Sendable, Equatable {
    var user: String
    var token: Data
}

@Suite(.timeLimit(.minutes(1)))
struct SharedDataTests {
    @Test func `a value is still there after the file is opened again`() async throws {
        let folder = try TemporaryFolder()
        let key = SharedKey<Session>("session", codec: .gzipSealed(.generate()))
        let session = Session(user: "ada", token: Data([1, 2, 3]))

        try SharedData(file: folder.file()).set(session, for: key)

        #expect(try SharedData(file: folder.file()).value(for: key) == session)
    }

    @Test func `a change reaches sequences and callbacks in order`() async throws {
        let data = SharedData()
        var changes = data.changes(for: .count, options: .initial).makeAsyncIterator()

        try data.set(1, for: .count)
        try data.set(2, for: .count)
        try data.remove(.count)

        #expect(await changes.next()?.newValue == nil)
        #expect(await changes.next()?.newValue == 1)
        #expect(await changes.next()?.newValue == 2)
        let last = await changes.next()
        #expect(last?.oldValue == 2)
        #expect(last?.newValue == nil)
    }

    @Test func `another store on the same file hears of a change`() async throws {
        let folder = try TemporaryFolder()
        let one = try SharedData(file: folder.file())
        let other = try SharedData(file: folder.file())
        var changes = other.changes(for: .count).makeAsyncIterator()

        try one.set(7, for: .count)

        let change = await changes.next()
        #expect(change?.newValue == 7)
        #expect(change?.origin == .anotherProcess)
        #expect(try other.value(for: .count) == 7)
    }

    @Test func `values in memory are carried over to a file`() throws {
        let folder = try TemporaryFolder()
        let data = SharedData()
        try data.set(3, for: .count)

        try data.attach(file: folder.file())
        try data.attach(file: folder.file())

        #expect(try data.value(for: .count) == 3)
        #expect(try SharedData(file: folder.file()).value(for: .count) == 3)
    }
}
