// SPDX-License-Identifier: MIT

package import RestEssentials

/// Decodes as Foundation's `JSONDecoder` does, in a fraction of the time.
///
/// Values and errors are those of the decoder it stands in for. A document that is not strict JSON in UTF-8 is handed
/// over to Foundation before any code of the model runs: what Foundation tolerates stays tolerated, and its errors stay
/// its own.
package struct DirectJSONDecoder: Sendable {
    private let options: DecodingOptions

    /// Creates a decoder that stands in for one of Foundation.
    ///
    /// The result is `nil` if the decoder does more than this one can: a subclass, JSON5, a top level without braces, a
    /// date strategy that Foundation has on one platform only.
    ///
    /// - Parameter decoder: A decoder; its later changes are not seen.
    package init?(standingInFor decoder: JSONDecoder) {
        guard let options = DecodingOptions(decoder) else {
            return nil
        }
        self.options = options
    }

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - data: JSON.
    /// - Returns: The value.
    /// - Throws: `DecodingError`, or what the type's initializer throws.
    package func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard let value = try decodeDirectly(type, from: data) else {
            return try options.makeFoundationDecoder().decode(type, from: data)
        }
        return value
    }

    /// Decodes a value without Foundation's decoder.
    ///
    /// - Returns: `nil` if the document is one for Foundation.
    package func decodeDirectly<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value? {
        guard let document = TapeDocument(data, options: options) else {
            return nil
        }
        do {
            return try document.decode(type, at: ValueDecoder(document: document, index: 0))
        } catch let failure as NumberNotRepresentable {
            throw failure.error
        }
    }
}
