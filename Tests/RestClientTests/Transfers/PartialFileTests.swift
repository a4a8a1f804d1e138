// SPDX-License-Identifier: MIT

import Foundation
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The lock of a file that is being loaded.
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
