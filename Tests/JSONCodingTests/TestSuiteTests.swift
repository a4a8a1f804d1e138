// SPDX-License-Identifier: MIT

import JSONCoding
import JSONSamples
import RestEssentials
import Testing

@Suite("JSONTestSuite")
struct TestSuiteTests {
    @Test
    func `each vector gives what Foundation gives`() throws {
        let foundation = JSONDecoder()
        let decoder = try #require(DirectJSONDecoder(standingInFor: foundation))
        let vectors = try Vectors.load()
        #expect(vectors.count > 300)
        for vector in vectors {
            let expected = Result { try foundation.decode(SampleTree.self, from: vector.base64) }
            let found = Result { try decoder.decode(SampleTree.self, from: vector.base64) }
            switch (expected, found) {
            case (.success(let expected), .success(let found)): #expect(expected == found, "\(vector.name)")
            case (.failure(let expected), .failure(let found)):
                #expect(ErrorText.describe(expected) == ErrorText.describe(found), "\(vector.name)")
            default: Issue.record("\(vector.name): \(expected) and \(found)")
            }
        }
    }

    @Test
    func `the scanner accepts JSON and rejects everything else`() throws {
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        for vector in try Vectors.load() {
            // Scanning is enough: the type looks at nothing.
            let isTaken = try decoder.decodeDirectly(Ignored.self, from: vector.base64) != nil
            switch vector.expect {
            case "accept": #expect(isTaken, "\(vector.name)")
            case "reject": #expect(!isTaken, "\(vector.name)")
            default: break
            }
        }
    }

    private struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }
}
