// SPDX-License-Identifier: MIT

public import Foundation

/// A file system of a few megabytes in memory, which can be filled, made read-only and made larger.
public final class TinyDisk: Sendable {
    /// True if this process may mount one.
    public static let isAvailable: Bool = (try? TinyDisk(megabytes: 1)) != nil

    struct Refused: Error {}

    /// Where it is.
    public let url: URL

    /// Mounts one.
    ///
    /// - Parameter megabytes: Its size.
    /// - Throws: An error when this process may not.
    public init(megabytes: Int) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "TinyDisk-\(UUID().uuidString)")
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
    public func remount(_ options: String) throws {
        try Self.run("mount", "-o", "remount,\(options)", url.path)
    }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Refused()
        }
    }
}
