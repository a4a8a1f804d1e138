// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The test vectors of the URI Template working group (RFC 6570), which lie beside the package.
@Suite(.enabled(if: URITemplateVectors.areThere, "the vectors are not part of the package"))
struct PathTemplateVectorTests {
    @Test(arguments: URITemplateVectors.all)
    func `a template expands as RFC 6570 says`(vector: URITemplateVectors.Vector) throws {
        let template = PathTemplate(vector.template)
        if vector.expected.isEmpty {
            let error = #expect(throws: RestClientError.self) { try template.expand(vector.variables) }
            #expect(error?.code == .invalidPathTemplate)
            #expect(error?.message.contains(vector.template) == true)
        } else {
            let path = try template.expand(vector.variables)
            #expect(vector.expected.contains(path))
        }
    }

    @Test
    func `all four files are read`() {
        #expect(URITemplateVectors.all.count > 250)
        #expect(URITemplateVectors.all.count { $0.expected.isEmpty } > 20)
    }
}

/// Reads the vectors from `../shared/data/uritemplate`, seen from the package's root.
enum URITemplateVectors {
    struct Vector: Sendable, CustomTestStringConvertible {
        let template: String
        let variables: [String: JSONValue]
        /// The expansions that are right; none when the template is wrong.
        let expected: [String]

        var testDescription: String { template }
    }

    static let all: [Vector] = files.flatMap(vectors)
    static var areThere: Bool { !files.isEmpty }

    private static let files: [Data] = {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 {
            root.deleteLastPathComponent()
        }
        let folder = root.deletingLastPathComponent().appendingPathComponent("shared/data/uritemplate")
        let names = ["spec-examples", "spec-examples-by-section", "extended-tests", "negative-tests"]
        return names.compactMap { try? Data(contentsOf: folder.appendingPathComponent("\($0).json")) }
    }()

    private static func vectors(in file: Data) -> [Vector] {
        guard case .object(let groups)? = try? JSONDecoder().decode(JSONValue.self, from: file) else {
            return []
        }
        return groups.sorted { $0.key < $1.key }
            .flatMap { _, group -> [Vector] in
                guard case .object(let variables)? = group["variables"], case .array(let cases)? = group["testcases"]
                else {
                    return []
                }
                return cases.map { test in
                    Vector(
                        template: test[0]?.stringValue ?? "",
                        variables: variables,
                        expected: expansions(test[1])
                    )
                }
            }
    }

    private static func expansions(_ value: JSONValue?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let texts): texts.compactMap(\.stringValue)
        default: []
        }
    }
}
