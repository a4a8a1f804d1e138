// SPDX-License-Identifier: MIT

/// Decodes bodies as the call that they belong to does.
protocol BodyReader: Sendable {
    /// Decodes the body of a response.
    ///
    /// - Throws: Why the body cannot be decoded.
    func decode<Body: Decodable>(_ type: Body.Type, from response: RawResponse) throws -> Body
}
