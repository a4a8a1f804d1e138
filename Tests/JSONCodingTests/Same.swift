// SPDX-License-Identifier: MIT

import JSONCoding
import JSONSamples
import RestEssentials
import Testing

/// Expects that this library decodes what Foundation decodes, or throws what it throws.
func expectSame<Value: Decodable>(
    _ type: Value.Type,
    from data: Data,
    with foundation: JSONDecoder = JSONDecoder(),
    by describe: (Value) -> String = { String(reflecting: $0) },
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let decoder = try #require(DirectJSONDecoder(standingInFor: foundation))
    let expected = outcome(of: describe) { try foundation.decode(type, from: data) }
    let found = outcome(of: describe) { try decoder.decode(type, from: data) }
    #expect(
        found == expected,
        "\(type) from \(String(decoding: data.prefix(200), as: UTF8.self))",
        sourceLocation: sourceLocation
    )
}

/// Expects that this library encodes what Foundation encodes, and without its help.
func expectSame<Value: Encodable>(
    _ value: Value,
    with foundation: JSONEncoder,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let encoder = try #require(DirectJSONEncoder(standingInFor: foundation))
    let found = try #require(encoder.encodeDirectly(value), sourceLocation: sourceLocation)
    #expect(
        try String(decoding: found, as: UTF8.self) == String(decoding: foundation.encode(value), as: UTF8.self),
        sourceLocation: sourceLocation
    )
}

/// The result of encoding, as text: the bytes or the error.
func outcome(_ work: () throws -> Data) -> String {
    outcome(of: { String(decoding: $0, as: UTF8.self) }, work)
}

private func outcome<Value>(of describe: (Value) -> String, _ work: () throws -> Value) -> String {
    do {
        return describe(try work())
    } catch {
        return ErrorText.describe(error)
    }
}
