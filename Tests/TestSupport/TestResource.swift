// SPDX-License-Identifier: MIT

package import RestEssentials

/// Reads the files in `Tests/Resources`, where they lie in the sources.
package enum TestResource {
    package static func bytes(_ path: String) throws -> Data {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appendingPathComponent("Resources/\(path)"))
    }
}
