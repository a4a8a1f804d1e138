// SPDX-License-Identifier: MIT

import RestEssentials

/// Reads the files below `Resources`, from where they lie in the sources.
enum TestResource {
    static func bytes(_ path: String) throws -> Data {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appendingPathComponent("Resources/\(path)"))
    }
}
