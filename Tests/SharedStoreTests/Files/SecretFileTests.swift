// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

@Suite(.timeLimit(.minutes(1)))
struct SecretFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var file: URL { folder.file("secret.key") }

    private static let known = Data(repeating: 7, count: SecretFile.length)

    private func information() throws -> stat {
        var information = stat()
        try #require(unsafe lstat(file.path, &information) == 0)
        return information
    }

    /// Expects that the file is a new one of this user alone, which stays.
    private func expectNewFile() throws {
        let bytes = try SecretFile.bytes(at: file)

        #expect(bytes.count == SecretFile.length)
        #expect(bytes != Self.known)
        #expect(try SecretFile.bytes(at: file) == bytes)
        let information = try information()
        #expect(information.st_mode & S_IFMT == S_IFREG)
        #expect(information.st_mode & 0o777 == 0o600)
        #expect(information.st_uid == geteuid())
        #expect(information.st_nlink == 1)
    }

    @Test
    func `a file is made once, for its owner alone, and no draft remains`() throws {
        try expectNewFile()

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["secret.key"])
    }

    @Test
    func `all who make the file at the same time get the same bytes`() async throws {
        let file = file

        let all = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<16 {
                group.addTask { try SecretFile.bytes(at: file) }
            }
            return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
        }

        #expect(all.count == 1)
    }

    @Test
    func `a file with two names is read, as it has them while it is made`() throws {
        try Self.known.write(to: folder.file("draft"))
        try #require(unsafe link(folder.file("draft").path, file.path) == 0)

        #expect(try SecretFile.bytes(at: file) == Self.known)
    }

    @Test(arguments: [0, 1, SecretFile.length - 1, SecretFile.length + 1, 1 << 20])
    func `a file of another length is replaced`(length: Int) throws {
        try Data(repeating: 7, count: length).write(to: file)

        try expectNewFile()
    }

    // MARK: - What others put in its place

    @Test
    func `a pipe is replaced, and nothing waits for it`() throws {
        try #require(unsafe mkfifo(file.path, 0o600) == 0)

        try expectNewFile()
    }

    @Test
    func `a symbolic link is replaced, and the file behind it stays as it is`() throws {
        let other = folder.file("other")
        try Self.known.write(to: other)
        try #require(unsafe symlink(other.path, file.path) == 0)

        try expectNewFile()
        #expect(try Data(contentsOf: other) == Self.known)
    }

    @Test
    func `a symbolic link to nothing, or to itself, makes no file elsewhere`() throws {
        for name in ["nowhere", "secret.key"] {
            try? FileManager.default.removeItem(at: file)
            try #require(unsafe symlink(folder.file(name).path, file.path) == 0)

            try expectNewFile()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["secret.key"])
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a file of another user is replaced`() throws {
        try Self.known.write(to: file)
        try #require(unsafe chown(file.path, 12_345, 12_345) == 0)

        try expectNewFile()
    }

    @Test
    func `a folder is an error`() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)

        #expect(throws: StoreError.self) { try SecretFile.bytes(at: file) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["secret.key"])
    }
}
