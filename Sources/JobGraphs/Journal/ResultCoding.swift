// SPDX-License-Identifier: MIT

import Crypto
import RestEssentials

/// Encodes and decodes results whose types are only known at run time, in the journal's own format: with names as
/// declared and dates with their full precision, whatever the strategies with which a result came over the wire.
enum ResultCoding {
    /// The most elements without results that are believed; each takes a byte of memory.
    private static let mostVoids = 1 << 26

    static func canStore(_ type: Any.Type) -> Bool {
        if isVoid(type) || isVoids(type) || type is any Codable.Type {
            return true
        }
        return (type as? any ComposedResult.Type).map { canStore($0.part) } ?? false
    }

    /// Returns true if the encoding of values of a type itself would fail, or make different ones equal.
    static func isComposed(_ type: Any.Type) -> Bool {
        (type as? any ComposedResult.Type)?.isComposed ?? !(type is any Codable.Type)
    }

    private static func isVoid(_ type: Any.Type) -> Bool { type == Void.self }
    private static func isVoids(_ type: Any.Type) -> Bool { type == [Void].self }

    /// Returns the bytes of a result: JSON with sorted keys and sets, so that equal results have equal digests in all
    /// processes.
    static func encode(
        _ value: some Any,
        words: (any Error) -> String = JobGraphError.words(for:)
    ) throws -> Data {
        if let composed = type(of: value) as? any ComposedResult.Type, let bytes = try composed.encode(value, words) {
            return bytes
        }
        guard let value = value as? any Encodable else {
            return Data("\((value as? [Void])?.count ?? 0)".utf8)
        }
        return try json(value)
    }

    /// Returns the JSON of a value, the same one in all processes.
    static func json(_ value: any Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return try encoder.encode(OrderedEncoding.of(value))
    }

    static func identity(of element: any Sendable, isPair: Bool) -> [String]? {
        if let element = element as? any Encodable {
            return (try? json(element)).map { [digest($0)] }
        }
        // The pairs of a dictionary cannot be encoded themselves.
        guard isPair else {
            return nil
        }
        let mirror = Mirror(reflecting: element)
        let parts = mirror.children.compactMap { part in (part.value as? any Encodable).flatMap { try? json($0) } }
        return parts.count == mirror.children.count ? parts.map { digest($0) } : nil
    }

    static func decode(_ data: Data, as type: any Sendable.Type) throws -> any Sendable {
        func decode<Output: Sendable>(_ type: Output.Type) throws -> any Sendable { try value(data, as: type) }
        return try decode(type)
    }

    static func value<Value>(_ data: Data, as type: Value.Type) throws -> Value {
        var unfit: JobGraphError { JobGraphError(.resultNotCodable, "a \(type) cannot be read from a journal") }
        func own(_ value: some Any) throws -> Value { try TypedValue.cast(value, orThrow: unfit) }
        if isVoid(type) {
            return try own(())
        }
        if isVoids(type) {
            let count = try decoder.decode(Int.self, from: data)
            guard (0...Self.mostVoids).contains(count) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(codingPath: [], debugDescription: "no loop has \(count) elements")
                )
            }
            return try own([Void](repeating: (), count: count))
        }
        if let composed = type as? any ComposedResult.Type {
            func decode<Composed: ComposedResult>(_ type: Composed.Type) throws -> Value? {
                try type.decode(data).map { try own($0) }
            }
            if let value = try decode(composed) {
                return value
            }
        }
        guard let decodable = type as? any Decodable.Type else {
            throw unfit
        }
        func decode<Own: Decodable>(_ type: Own.Type) throws -> Value { try own(decoder.decode(type, from: data)) }
        return try decode(decodable)
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return decoder
    }

    /// Returns the result of a node that counts as done without a result; `nil` if its type needs one.
    static func nothing(as type: any Sendable.Type) -> (any Sendable)? {
        guard isVoid(type) || type is any ExpressibleByNilLiteral.Type else {
            return nil
        }
        return try? decode(Data("null".utf8), as: type)
    }

    /// Returns the stored form of the result of a node that counts as done without one; `nil` if its type needs one.
    static func textOfNothing(as type: any Sendable.Type) -> String? {
        nothing(as: type).map { _ in isVoid(type) ? "0" : "null" }
    }

    /// Returns the digest of some texts, each with its length.
    static func digest(_ parts: [String]) -> String {
        var hash = SHA256()
        for part in parts {
            hash.update(data: Data("\(part.utf8.count):\(part)".utf8))
        }
        return Hexadecimal.text(hash.finalize())
    }

    static func digest(_ data: Data) -> String {
        Hexadecimal.text(SHA256.hash(data: data))
    }
}
