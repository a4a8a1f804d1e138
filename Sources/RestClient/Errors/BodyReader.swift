// SPDX-License-Identifier: MIT

/// Decodes bodies in the same way as the call to which they belong.
protocol BodyReader: Sendable {
    /// Decodes the body of a response.
    ///
    /// - Throws: The reason why the body cannot be decoded.
    func decode<Body: Decodable>(_ type: Body.Type, from response: RawResponse) throws -> Body
}
