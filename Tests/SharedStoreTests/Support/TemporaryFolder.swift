// SPDX-License-Identifier: MIT

import Foundation

/// A folder of its own for a test, removed with the object.
final class TemporaryFolder: Sendable {
    let url: URL

    init(at parent: URL = FileManager.default.temporaryDirectory) throws {
        url = parent.appending(path: "SharedStoreTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String = "store.sqlite") -> URL {
        url.appending(path: name)
    }
}
