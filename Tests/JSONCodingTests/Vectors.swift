// SPDX-License-Identifier: MIT

import RestEssentials

/// The parsing vectors of JSONTestSuite; its licence lies beside them.
struct Vectors: Decodable {
    struct Vector: Decodable {
        let name: String
        /// `accept`, `reject` or `either`.
        let expect: String
        let base64: Data
    }

    let parsing: [Vector]

    static func load() throws -> [Vector] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let file = folder.appending(path: "JSONTestSuite/json-test-suite.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file)).parsing
    }
}
