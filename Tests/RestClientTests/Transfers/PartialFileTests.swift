// SPDX-License-Identifier: MIT

import Foundation
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The lock of a file that is being loaded, and its state on the disk.
@Suite(.timeLimit(.minutes(5)))
struct PartialFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var target: String { directory.path("today.tar").path }

    @Test
    func `a file has one download at a time`() throws {
        let first = try PartialFile(for: target)
        let error = #expect(throws: RestClientError.self) { try PartialFile(for: target) }
        #expect(error?.code == .fileNotWritten)
        #expect(error?.message.contains("'today.tar' is being downloaded already") == true)
        withExtendedLifetime(first) {}
    }

    // MARK: - State

    private static let source = "GET https://files.test/today.tar"

    /// As many bytes as make it time to keep the state.
    private static let enough = Data(repeating: 7, count: 16 << 20)

    private static func state(_ received: Range<Int64>) -> DownloadState {
        var state = DownloadState(source: source)
        state.validator = "\"v1\""
        state.total = 100 << 20
        state.received.insert(received)
        return state
    }

    private var statePath: String { target + ".partial.json" }

    @Test
    func `a failure leaves all bytes that are there, also while an earlier state is being kept`() async throws {
        let end = Int64(Self.enough.count) + 3
        do {
            let file = try PartialFile(for: target)
            try file.write(Self.enough, at: 0)
            try await file.keepIfDue(Self.state(0..<end - 3))
            try file.write(Data("abc".utf8), at: end - 3)
            await file.leave(Self.state(0..<end))
        }
        let left = try PartialFile(for: target).state(of: Self.source)
        #expect(left == Self.state(0..<end))
    }

    @Test
    func `no state of another version outlives it, also one that is being kept`() async throws {
        let file = try PartialFile(for: target)
        for _ in 0..<20 {
            try file.write(Self.enough, at: 0)
            try await file.keepIfDue(Self.state(0..<Int64(Self.enough.count)))
            try await file.truncate()
            #expect(!FileManager.default.fileExists(atPath: statePath))
        }
    }

    @Test
    func `a state that cannot be kept fails the download, and the one before it stays`() async throws {
        let (first, second) = (Self.state(0..<10), Self.state(0..<Int64(Self.enough.count)))
        do {
            let file = try PartialFile(for: target)
            try file.write(Self.enough, at: 0)
            try await file.keep(first)
            // Nothing can be created in the place of a folder.
            try FileManager.default.createDirectory(atPath: statePath + ".new", withIntermediateDirectories: false)
            try file.write(Self.enough, at: 0)
            try await file.keepIfDue(second)
            let error = await #expect(throws: RestClientError.self) {
                try await file.finish(length: second.received.prefixCount, digests: [])
            }
            #expect(error?.code == .fileNotWritten)
            try FileManager.default.removeItem(atPath: statePath + ".new")
            // Another fsync succeeds, although the bytes of the failed one may be lost.
            await file.leave(second)
        }
        let left = try PartialFile(for: target).state(of: Self.source)
        #expect(left == first)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test(arguments: 1...3)
    func `a file that is not wanted any more does not take its place, and its bytes stay`(lastCheck: Int) async throws {
        try Data("old".utf8).write(to: URL(filePath: target))
        let checks = Recorder<Void>()
        do {
            let file = try PartialFile(for: target)
            try file.write(Data("0123456789".utf8), at: 0)
            await #expect(throws: CancellationError.self) {
                try await file.finish(length: 10, digests: []) {
                    checks.record(())
                    if checks.count == lastCheck {
                        throw CancellationError()
                    }
                }
            }
            await file.leave(Self.state(0..<10))
        }

        #expect(checks.count == lastCheck)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("old".utf8))
        #expect(try resumed().received == 10)
    }

    // MARK: - Files of others

    private var partialPath: String { target + ".partial" }

    /// Keeps a file with ten bytes and its state, as a download that was interrupted.
    private func interrupt() async throws {
        let file = try PartialFile(for: target)
        try file.write(Data("0123456789".utf8), at: 0)
        await file.leave(Self.state(0..<10))
    }

    private static func information(_ path: String) throws -> stat {
        var information = stat()
        try #require(unsafe lstat(path, &information) == 0)
        return information
    }

    /// The state that the next download begins with, and the bytes that it finds.
    private func resumed() throws -> (received: Int64, length: Int64, mode: mode_t) {
        let file = try PartialFile(for: target)
        let state = file.state(of: Self.source)
        let information = try Self.information(partialPath)
        return (state.received.count, Int64(information.st_size), information.st_mode & 0o7777)
    }

    @Test
    func `a download that was interrupted is resumed from its own files`() async throws {
        try await interrupt()

        let (received, length, mode) = try resumed()

        #expect(received == 10)
        #expect(length == 10)
        #expect(mode == 0o600)
        #expect(try Self.information(statePath).st_mode & 0o7777 == 0o600)
    }

    @Test(arguments: [0o666, 0o620, 0o602, 0o644, 0o601] as [mode_t])
    func `a file that others could write or read is replaced, and its bytes go`(mode: mode_t) async throws {
        try await interrupt()
        unsafe chmod(partialPath, mode)
        let before = try Self.information(partialPath).st_ino
        let other = unsafe open(partialPath, O_RDWR)
        defer { close(other) }

        let (received, length, found) = try resumed()

        #expect(received == 0)
        #expect(length == 0)
        #expect(found == 0o600)
        // Who had the old one open does not have the new one.
        #expect(try Self.information(partialPath).st_ino != before)
    }

    @Test
    func `a file that was made in advance does not become the target`() async throws {
        #expect(FileManager.default.createFile(atPath: partialPath, contents: Data("evil".utf8)))
        unsafe chmod(partialPath, 0o666)

        let file = try PartialFile(for: target)
        try file.write(Data("good".utf8), at: 0)
        try await file.finish(length: 4, digests: [])

        #expect(try Data(contentsOf: URL(filePath: target)) == Data("good".utf8))
        #expect(try Self.information(target).st_mode & 0o7777 == 0o600)
    }

    @Test
    func `another name of a file of the user's is removed, and the file is not touched`() async throws {
        let precious = directory.path("precious").path
        #expect(FileManager.default.createFile(atPath: precious, contents: Data("precious".utf8)))
        unsafe chmod(precious, 0o600)
        try #require(unsafe link(precious, partialPath) == 0)

        let file = try PartialFile(for: target)
        try file.write(Data("good".utf8), at: 0)
        try await file.finish(length: 4, digests: [])

        #expect(try Data(contentsOf: URL(filePath: precious)) == Data("precious".utf8))
        #expect(try Self.information(precious).st_nlink == 1)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("good".utf8))
    }

    @Test(.enabled(if: geteuid() == 0, "only the administrator can give a file away"))
    func `a file of another user is replaced, and so is its state`() async throws {
        try await interrupt()
        unsafe chown(partialPath, 12_345, 12_345)
        #expect(try resumed().length == 0)
        #expect(try Self.information(partialPath).st_uid == geteuid())

        try await interrupt()
        unsafe chown(statePath, 12_345, 12_345)
        #expect(try resumed().received == 0)
    }

    /// Returns true if a file belongs to a process of a user to whom no file on this mount does.
    private static func isOwn(_ path: String) throws -> Bool {
        let descriptor = unsafe open(path, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        return OwnFile.isOwn(descriptor, at: path, user: 54_321)
    }

    @Test(.enabled(if: geteuid() != 54_321))
    func `where the mount gives all files one owner, a file with that owner is the user's`() async throws {
        try await interrupt()
        let before = try FileManager.default.contentsOfDirectory(atPath: directory.path("").path).sorted()

        #expect(try Self.isOwn(partialPath))
        #expect(try Self.isOwn(statePath))

        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("").path).sorted() == before)
        unsafe chmod(partialPath, 0o666)
        #expect(try !Self.isOwn(partialPath))
    }

    @Test(.enabled(if: geteuid() == 0, "only the administrator can give a file away"))
    func `a file with neither the user nor the owner of new files is another user's`() async throws {
        try await interrupt()
        unsafe chown(partialPath, 12_345, 12_345)

        #expect(try !Self.isOwn(partialPath))
    }

    @Test
    func `a pipe in the place of the file is an error, and nothing waits for it`() throws {
        try #require(unsafe mkfifo(partialPath, 0o600) == 0)

        let error = #expect(throws: RestClientError.self) { try PartialFile(for: target) }

        #expect(error?.code == .fileNotWritten)
        #expect(error?.message.contains("not a regular file") == true)
    }

    /// A thing in the place of a state.
    enum ForeignState: CaseIterable {
        case pipe, link, folder, writable, secondName, tooLong
    }

    @Test(arguments: ForeignState.allCases)
    func `a state that others could have written says nothing, and is replaced`(kind: ForeignState) async throws {
        try await interrupt()
        let other = directory.path("other.json").path
        let bytes = try Data(contentsOf: URL(filePath: statePath))
        switch kind {
        case .writable:
            unsafe chmod(statePath, 0o666)
        case .secondName:
            try #require(unsafe link(statePath, other) == 0)
        case .pipe:
            unsafe unlink(statePath)
            try #require(unsafe mkfifo(statePath, 0o600) == 0)
        case .folder:
            unsafe unlink(statePath)
            try #require(unsafe mkdir(statePath, 0o700) == 0)
        case .link:
            try #require(unsafe rename(statePath, other) == 0)
            try #require(unsafe symlink(other, statePath) == 0)
        case .tooLong:
            let long = bytes + Data(repeating: UInt8(ascii: " "), count: 1 << 20)
            let handle = try FileHandle(forWritingTo: URL(filePath: statePath))
            try handle.write(contentsOf: long)
            try handle.close()
        }

        #expect(try resumed().received == 0)

        guard kind != .folder else {
            return
        }
        try await interrupt()
        #expect(try resumed().received == 10)
        if kind == .link {
            #expect(try Data(contentsOf: URL(filePath: other)) == bytes)
        }
    }

    #if os(Linux)
    @Test
    func `a process that is being started does not keep a finished download's lock`() throws {
        var first: PartialFile? = try PartialFile(for: target)
        let resolved = URL(filePath: target + ".partial").resolvingSymlinksInPath()
        // Such a process has a copy of each descriptor until it runs its own program.
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(CInt.init)
            .filter {
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                return path.map { URL(filePath: $0).resolvingSymlinksInPath() } == resolved
            }
            .map { dup($0) }
        defer {
            for copy in copies {
                close(copy)
            }
        }
        try #require(copies.count == 1)
        #expect(first != nil)
        first = nil

        let next = try PartialFile(for: target)
        withExtendedLifetime(next) {}
    }
    #endif
}
