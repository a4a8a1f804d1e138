// SPDX-License-Identifier: MIT

public import RestEssentials

/// A temporary directory that is removed when the value is released.
public final class TemporaryDirectory: Sendable {
    /// The directory's location.
    public let url: URL

    /// Creates an empty directory.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the location of a file in the directory.
    public func path(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    /// The names of the files in the directory.
    public var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }
}
