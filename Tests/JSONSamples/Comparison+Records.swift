// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom

extension Comparison {
    /// Compares the encoding of a record, and the decoding of it and of spoiled copies.
    package mutating func records(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let record = SampleRecord(using: &generator)
        let encoder = Strategies.encoder { Int.random(in: 0..<$0, using: &generator) }
        encode(record, with: encoder, "record \(seed)")
        let flat = SampleFlat(value: record.ratio, firstName: record.firstName, id: record.id)
        encode(flat, with: encoder, "flat \(seed)")
        encode(SampleNested(value: [record.id], id: 1), with: encoder, "nested \(seed)")
        let decoder = JSONDecoder()
        let simple = JSONEncoder()
        simple.outputFormatting = [.sortedKeys]
        if Bool.random(using: &generator) {
            simple.dateEncodingStrategy = .iso8601
            decoder.dateDecodingStrategy = .iso8601
        }
        if Bool.random(using: &generator) {
            simple.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        guard let data = try? simple.encode(record) else {
            return
        }
        decode(SampleRecord.self, from: data, with: decoder, "record \(seed)")
        for place in 0..<12 {
            var text = Array(data)
            Mutation.mutate(&text, using: &generator)
            decode(SampleRecord.self, from: Data(text), with: decoder, "spoiled record \(seed), \(place)")
        }
    }
}
