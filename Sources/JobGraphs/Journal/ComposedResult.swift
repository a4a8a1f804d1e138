// SPDX-License-Identifier: MIT

import RestEssentials

/// A result that is stored by its parts if its type cannot be encoded, or if JSON does not distinguish its values:
/// `null` would stand for each of the two ways in which an optional of an optional can be empty.
protocol ComposedResult {
    static var part: Any.Type { get }

    static var isComposed: Bool { get }

    /// Returns the bytes of a value; `nil` if it is encoded like any other.
    static func encode(_ value: some Any, _ words: (any Error) -> String) throws -> Data?

    /// Returns the value of bytes; `nil` if it is decoded like any other.
    static func decode(_ data: Data) throws -> Self?
}

extension ComposedResult {
    static func own(_ value: some Any) throws -> Self {
        try TypedValue.cast(value, orThrow: JobGraphError(.resultNotCodable, "a value is not a \(Self.self)"))
    }
}

extension Optional: ComposedResult {
    static var part: Any.Type { Wrapped.self }

    static var isComposed: Bool {
        Wrapped.self is any ExpressibleByNilLiteral.Type || ResultCoding.isComposed(Wrapped.self)
    }

    private static var null: Data { Data("null".utf8) }

    static func encode(_ value: some Any, _ words: (any Error) -> String) throws -> Data? {
        guard let wrapped = try own(value) else {
            return null
        }
        let bytes = try ResultCoding.encode(wrapped, words: words)
        return bytes == null || Composition.isEncoded(in: bytes) ? try Composition("some", [bytes]).data : bytes
    }

    static func decode(_ data: Data) throws -> Self? {
        if data == null {
            return .some(nil)
        }
        if let composition = try Composition(data), composition.name == "some" {
            return .some(.some(try composition.value(Wrapped.self)))
        }
        return .some(.some(try ResultCoding.value(data, as: Wrapped.self)))
    }
}

extension Array: ComposedResult {
    static var part: Any.Type { Element.self }

    static var isComposed: Bool { ResultCoding.isComposed(Element.self) }

    static func encode(_ value: some Any, _ words: (any Error) -> String) throws -> Data? {
        // Of elements without results only the number is stored.
        guard isComposed, Element.self != Void.self else {
            return nil
        }
        return try Composition("list", own(value).map { try ResultCoding.encode($0, words: words) }).data
    }

    static func decode(_ data: Data) throws -> Self? {
        guard isComposed, let composition = try Composition(data) else {
            return nil
        }
        guard composition.name == "list" else {
            throw composition.invalid
        }
        return try composition.parts.map { try ResultCoding.value(Data($0.utf8), as: Element.self) }
    }
}

extension JobGraphError {
    static func earlier(_ words: String) -> Self {
        Self(.earlierFailure, "an earlier run of the journal stored this failure: \(words)")
    }
}

struct Composition: Codable {
    var name: String
    var parts: [String] = []

    enum CodingKeys: String, CodingKey {
        case name = "$case"
        case parts = "$parts"
    }

    private static let beginning = Data("{\"\(CodingKeys.name.rawValue)\":".utf8)

    var data: Data { get throws { try ResultCoding.json(self) } }

    static func isEncoded(in data: Data) -> Bool { data.starts(with: beginning) }

    /// Reads a composition; `nil` if the bytes are something else, as those of older releases are.
    init?(_ data: Data) throws {
        guard Self.isEncoded(in: data) else {
            return nil
        }
        self = try ResultCoding.decoder.decode(Self.self, from: data)
    }

    init(_ name: String, _ parts: [Data] = []) {
        self.name = name
        self.parts = parts.map { String(decoding: $0, as: UTF8.self) }
    }

    func value<Part>(_ type: Part.Type) throws -> Part {
        guard parts.count == 1, let part = parts.first else {
            throw invalid
        }
        return try ResultCoding.value(Data(part.utf8), as: type)
    }

    var invalid: DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "no value has the case '\(name)'"))
    }
}
