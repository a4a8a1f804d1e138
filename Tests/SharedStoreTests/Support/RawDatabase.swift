// SPDX-License-Identifier: MIT

import Foundation

@testable import SharedStore

/// SQLite past the schema, to make files that the library would not make.
enum RawDatabase {
    static func execute(_ file: URL, _ statements: String...) throws {
        if !FileManager.default.fileExists(atPath: file.path) {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        let connection = try Connection(file: file.path, mode: .readWrite, busyTimeout: .seconds(1))
        for statement in statements { try connection.execute(statement) }
    }
}
