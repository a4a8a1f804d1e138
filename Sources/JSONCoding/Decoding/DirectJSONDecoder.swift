// SPDX-License-Identifier: MIT

package import RestEssentials

/// Decodes as Foundation's `JSONDecoder` does, in a fraction of the time.
///
/// Values and errors are those of the decoder that it replaces. A document that is not strict JSON in UTF-8 is left to
/// Foundation before any code of the model runs, so that Foundation's leniency and its errors are preserved.
///
/// Keys, and strings that become another type or an element of a set, are compared and hashed. They may have 256
/// combining marks in a row, because comparing more takes a time that grows with the square of their number.
package struct DirectJSONDecoder: Sendable {
    private let options: DecodingOptions

    /// Copies a decoder; the result is `nil` if this library does not support it: a subclass, JSON5, a top level
    /// without braces, or a date strategy that exists on one platform only.
    package init?(standingInFor decoder: JSONDecoder) {
        guard let options = DecodingOptions(decoder) else {
            return nil
        }
        self.options = options
    }

    package func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard let value = try decodeDirectly(type, from: data) else {
            try MarkRun.checkKeys(ofJSON: data, checksValues: true)
            return try options.makeFoundationDecoder().decode(type, from: data)
        }
        return value
    }

    package func decodeDirectly<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value? {
        // A byte order mark says nothing that JSON in UTF-8 needs.
        let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        guard let document = TapeDocument(text, options: options) else {
            return nil
        }
        do {
            return try document.decode(type, at: ValueDecoder(document: document, index: 0))
        } catch let failure as NumberNotRepresentable {
            throw failure.error
        }
    }
}
