// SPDX-License-Identifier: MIT

public import RestEssentials

/// A directory that goes with whoever holds it.
public final class TemporaryDirectory: Sendable {
    /// Where it lies.
    public let url: URL

    /// Makes an empty directory.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// A place in the directory.
    public func path(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    /// The names of what lies in the directory.
    public var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }
}
