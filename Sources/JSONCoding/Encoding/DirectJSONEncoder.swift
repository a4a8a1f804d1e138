// SPDX-License-Identifier: MIT

package import RestEssentials

/// Encodes as Foundation's `JSONEncoder` does, in a fraction of the time.
///
/// Bytes and errors are those of the encoder that it replaces. Without sorted keys, the members of an object come in
/// the order in which they were encoded. It writes into one buffer while the model encodes itself. If that is not
/// possible (two containers in alternation, a key encoded twice, an error), Foundation encodes the model again.
package struct DirectJSONEncoder: Sendable {
    private let options: EncodingOptions

    /// Copies an encoder; the result is `nil` if this library does not support it: a subclass, indentation, a key
    /// strategy with a closure, or a date strategy that exists on one platform only.
    package init?(standingInFor encoder: JSONEncoder) {
        guard let options = EncodingOptions(encoder) else {
            return nil
        }
        self.options = options
    }

    package func encode<Value: Encodable>(_ value: Value) throws -> Data {
        guard let data = encodeDirectly(value) else {
            return try options.makeFoundationEncoder().encode(value)
        }
        return data
    }

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
