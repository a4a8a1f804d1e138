// SPDX-License-Identifier: MIT

import Foundation
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The lock of a file that is being loaded, and its state on the disk.
@Suite
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
