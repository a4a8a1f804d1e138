// SPDX-License-Identifier: MIT

import JSONCoding
import JSONSamples
import RestEssentials
import Testing

@Suite("Comparison with Foundation")
struct DifferentialTests {
    @Test(arguments: 0..<4)
    func `scripted models decode the same from random documents`(part: UInt64) {
        var comparison = Comparison()
        for seed in 0..<1000 {
            comparison.decode(seed: part << 32 | UInt64(seed))
        }
        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.direct > 600)
    }

    @Test(arguments: 0..<4)
    func `scripted values encode the same`(part: UInt64) {
        var comparison = Comparison()
        for seed in 0..<1000 {
            comparison.encode(seed: part << 32 | UInt64(seed))
        }
        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.direct > 300)
    }

    @Test(arguments: 0..<4)
    func `records with every special type are the same, whole and spoiled`(part: UInt64) {
        var comparison = Comparison()
        for seed in 0..<30 {
            comparison.records(seed: part << 32 | UInt64(seed))
        }
        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.direct > 60)
    }

    @Test(arguments: [8_990_639_963_211_275_129, 15_427_085_615_124_465_617])
    func `a seed that once found a difference finds none`(seed: UInt64) {
        var comparison = Comparison()
        comparison.decode(seed: seed)
        comparison.encode(seed: seed)
        comparison.records(seed: seed)
        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
    }

    @Test
    func `the order of several errors of a dictionary is not a difference`() {
        var comparison = Comparison()
        for number in 0..<40 {
            // One more member each time, so that not all orders are alike.
            let members = (0...number).map { "\"wrong\($0)\":\($0)" }.joined(separator: ",")
            comparison.decode([SampleChoice: Int].self, from: Data("{\(members)}".utf8), with: JSONDecoder(), "wrong")
        }
        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.reordered > 0)
    }

    @Test
    func `an error that Foundation never reports is a difference`() {
        var comparison = Comparison()
        comparison.decode([String: Telltale].self, from: Data(#"{"a":1,"b":2}"#.utf8), with: JSONDecoder(), "telltale")
        #expect(comparison.differences.count == 1)
        #expect(comparison.reordered == 0)
    }

    /// Fails with another error if this library decodes it.
    private struct Telltale: Decodable, Equatable {
        init(from decoder: any Decoder) throws {
            let text = JSONKind(of: decoder) == nil ? "Foundation" : "this library"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: text))
        }
    }
}
