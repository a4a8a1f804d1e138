// SPDX-License-Identifier: MIT
import Foundation

/// A file system of a few megabytes in memory, which can be filled, made read-only and made larger.
final class TinyDisk: Sendable {
    /// Whether this process may mount one.
    static let isAvailable: Bool = (try? TinyDisk(megabytes: 1)) != nil

    struct Refused: Error {}

    let url: URL

    init(megabytes: Int) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "SharedStoreTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        do {
            try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", url.path)
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    deinit {
        try? Self.run("umount", "-l", url.path)
        try? FileManager.default.removeItem(at: url)
    }

    /// Mounts it again with other options, for example `ro` or `size=8m`.
    func remount(_ options: String) throws {
        try Self.run("mount", "-o", "remount,\(options)", url.path)
    }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Refused() }
    }
}
