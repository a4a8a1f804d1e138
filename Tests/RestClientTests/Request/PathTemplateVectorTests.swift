// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import RestClient

/// The public test vectors of RFC 6570: 234 expansions, and 36 templates that are wrong.
@Suite
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
        #expect(URITemplateVectors.all.count == 270)
        #expect(URITemplateVectors.all.count { $0.expected.isEmpty } == 36)
    }
}

/// Reads the vectors in `Resources/uritemplate`.
enum URITemplateVectors {
    struct Vector: Sendable, CustomTestStringConvertible {
        let template: String
        let variables: [String: JSONValue]
        /// The expansions that are right; none when the template is wrong.
        let expected: [String]

        var testDescription: String { template }
    }

    static let all: [Vector] = files.flatMap(vectors)

    private static let files: [Data] = {
        let names = ["spec-examples", "spec-examples-by-section", "extended-tests", "negative-tests"]
        return names.compactMap { try? TestResource.bytes("uritemplate/\($0).json") }
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
