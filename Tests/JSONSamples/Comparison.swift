// SPDX-License-Identifier: MIT

import JSONCoding
package import RestEssentials
import SeededRandom

/// Compares this library with Foundation, on input that a seed decides.
package struct Comparison {
    private static let mostAttempts = 1000
    /// Sizes of memory, in bytes: a dictionary of any size shares its kind of block with one of them.
    private static let blockSizes =
        Array(stride(from: 16, to: 2048, by: 16)) + stride(from: 2048, through: 8192, by: 128)

    /// The differences found so far.
    package private(set) var differences: [String] = []
    /// The number of comparisons in which this library did the work.
    package private(set) var direct = 0
    /// The number of comparisons in which it left the work to Foundation.
    package private(set) var handedOver = 0
    /// The number of comparisons in which Foundation gave this library's error only when it was asked again.
    package private(set) var reordered = 0

    package init() {}

    // MARK: - Decoding

    /// Lets scripted models decode a random document.
    package mutating func decode(seed: UInt64) {
        var writer = RandomJSON(SeededGenerator(seed: seed))
        var text = writer.document(size: Int.random(in: 1...40, using: &writer.generator))
        if Int.random(in: 0..<4, using: &writer.generator) == 0 {
            Mutation.mutate(&text, using: &writer.generator)
        }
        decode(Data(text), seed: seed)
    }

    /// Lets scripted models decode a document.
    package mutating func decode(_ data: Data, seed: UInt64) {
        var generator = SeededGenerator(seed: seed ^ 0x5EED)
        let foundation = Strategies.decoder { Int.random(in: 0..<$0, using: &generator) }
        let hasKeyStrategy = if case .useDefaultKeys = foundation.keyDecodingStrategy { false } else { true }
        let theirs = Script(seed: seed, hasKeyStrategy: hasKeyStrategy)
        foundation.userInfo[.script] = theirs
        let expected = Result { try foundation.decode(ScriptedModel.self, from: data) }
        let ours = Script(seed: seed, hasKeyStrategy: hasKeyStrategy)
        foundation.userInfo[.script] = ours
        guard let decoder = DirectJSONDecoder(standingInFor: foundation) else {
            differences.append("seed \(seed): no decoder")
            return
        }
        let found: Result<ScriptedModel, any Error>
        do {
            guard let model = try decoder.decodeDirectly(ScriptedModel.self, from: data) else {
                handedOver += 1
                return
            }
            found = .success(model)
        } catch {
            found = .failure(error)
        }
        direct += 1
        compare(outcome(expected) + theirs.transcript, outcome(found) + ours.transcript, "decode seed \(seed)", data)
    }

    /// Compares the decoding of a type.
    package mutating func decode<Value: Decodable & Equatable>(
        _ type: Value.Type,
        from data: Data,
        with foundation: JSONDecoder,
        _ name: String
    ) {
        let expected = Result { try foundation.decode(type, from: data) }
        guard let decoder = DirectJSONDecoder(standingInFor: foundation) else {
            differences.append("\(name): no decoder")
            return
        }
        let found: Result<Value, any Error>
        do {
            guard let value = try decoder.decodeDirectly(type, from: data) else {
                handedOver += 1
                return
            }
            found = .success(value)
        } catch {
            found = .failure(error)
        }
        direct += 1
        switch (expected, found) {
        case (.success(let expected), .success(let found)) where expected == found: break
        case (.success(let expected), .success(let found)):
            compare([String(reflecting: expected)], [String(reflecting: found)], name, data)
        case (.failure(let expected), .failure(let found)):
            let (expected, found) = (ErrorText.describe(expected), ErrorText.describe(found))
            if expected != found, doesFail(foundation, type, data, with: found) {
                reordered += 1
            } else {
                compare([expected], [found], name, data)
            }
        default: compare(outcome(expected), outcome(found), name, data)
        }
    }

    /// Tells whether decoding with Foundation fails with an error, in one of many attempts.
    ///
    /// Foundation decodes the members of a dictionary with other keys than strings in an order that depends on where
    /// in memory its containers are: each of several errors may be the first. This library's error has to be one that
    /// Foundation reports too, word for word.
    private func doesFail<Value: Decodable>(
        _ foundation: JSONDecoder,
        _ type: Value.Type,
        _ data: Data,
        with text: String
    ) -> Bool {
        var generator = SeededGenerator(seed: 1)
        // Memory that is kept, so that the next containers are elsewhere.
        var kept: [[UInt8]] = []
        for _ in 0..<Self.mostAttempts {
            do {
                _ = try foundation.decode(type, from: data)
                return false
            } catch {
                if ErrorText.describe(error) == text {
                    return true
                }
            }
            for size in Self.blockSizes where Bool.random(using: &generator) {
                kept.append([UInt8](repeating: 0, count: size))
            }
        }
        return false
    }

    private func outcome<Value>(_ result: Result<Value, any Error>) -> [String] {
        switch result {
        case .success: ["success"]
        case .failure(let error): [ErrorText.describe(error)]
        }
    }

    // MARK: - Encoding

    /// Lets scripted values encode themselves.
    package mutating func encode(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let foundation = Strategies.encoder { Int.random(in: 0..<$0, using: &generator) }
        let theirs = Script(seed: seed)
        foundation.userInfo[.script] = theirs
        let expected = Result { try foundation.encode(ScriptedValue()) }
        let ours = Script(seed: seed)
        foundation.userInfo[.script] = ours
        guard let encoder = DirectJSONEncoder(standingInFor: foundation),
            let found = encoder.encodeDirectly(ScriptedValue())
        else {
            handedOver += 1
            return
        }
        direct += 1
        compare(
            text(expected) + theirs.transcript,
            [String(decoding: found, as: UTF8.self)] + ours.transcript,
            "encode seed \(seed)",
            Data()
        )
    }

    /// Compares the encoding of a value; the encoder must sort keys.
    package mutating func encode<Value: Encodable>(_ value: Value, with foundation: JSONEncoder, _ name: String) {
        let expected = Result { try foundation.encode(value) }
        guard let found = DirectJSONEncoder(standingInFor: foundation)?.encodeDirectly(value) else {
            handedOver += 1
            return
        }
        direct += 1
        compare(text(expected), [String(decoding: found, as: UTF8.self)], name, Data())
    }

    private func text(_ result: Result<Data, any Error>) -> [String] {
        switch result {
        case .success(let data): [String(decoding: data, as: UTF8.self)]
        case .failure(let error): [ErrorText.describe(error)]
        }
    }

    // MARK: - Report

    private mutating func compare(_ expected: [String], _ found: [String], _ name: String, _ data: Data) {
        guard expected != found else {
            return
        }
        let place = zip(expected, found).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let line = place ?? min(expected.count, found.count)
        differences.append(
            """
            \(name), line \(line):
              expected: \(line < expected.count ? expected[line] : "the end")
              found:    \(line < found.count ? found[line] : "the end")
              text:     \(String(decoding: data.prefix(400), as: UTF8.self))
            """
        )
    }
}
