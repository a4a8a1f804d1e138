// SPDX-License-Identifier: MIT

import RestEssentials

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
        return try Self.value(Data(part.utf8), type)
    }

    static func value<Part>(_ data: Data, _ type: Part.Type) throws -> Part {
        try ResultCoding.value(data, as: type)
    }

    var invalid: DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "no value has the case '\(name)'"))
    }
}
