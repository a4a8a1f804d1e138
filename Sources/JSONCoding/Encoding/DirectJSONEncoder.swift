// SPDX-License-Identifier: MIT

package import RestEssentials

/// Encodes as Foundation's `JSONEncoder` does, in a fraction of the time.
///
/// Bytes and errors are those of the encoder it stands in for; without sorted keys, the members of an object come in
/// the order in which they were encoded. It writes into one buffer as the model goes along. A model that cannot be
/// written that way (two containers in alternation, a key encoded twice, an error) is encoded once more, by Foundation.
package struct DirectJSONEncoder: Sendable {
    private let options: EncodingOptions

    /// Creates an encoder that stands in for one of Foundation.
    ///
    /// The result is `nil` if the encoder does more than this one can: a subclass, indentation, a key strategy with a
    /// closure, a date strategy that Foundation has on one platform only.
    ///
    /// - Parameter encoder: An encoder; its later changes are not seen.
    package init?(standingInFor encoder: JSONEncoder) {
        guard let options = EncodingOptions(encoder) else {
            return nil
        }
        self.options = options
    }

    /// Encodes a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: JSON.
    /// - Throws: `EncodingError`, or what the value throws.
    package func encode<Value: Encodable>(_ value: Value) throws -> Data {
        guard let data = encodeDirectly(value) else {
            return try options.makeFoundationEncoder().encode(value)
        }
        return data
    }

    /// Encodes a value without Foundation's encoder.
    ///
    /// - Returns: `nil` if the value is one for Foundation, which may refuse it.
    package func encodeDirectly<Value: Encodable>(_ value: Value) -> Data? {
        let output = JSONOutput(options)
        do {
            try output.encode(value)
        } catch {
            return nil
        }
        return output.finish()
    }
}
