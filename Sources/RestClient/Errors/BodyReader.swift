// SPDX-License-Identifier: MIT

/// Decodes bodies in the same way as the call to which they belong.
protocol BodyReader: Sendable {
    func decode<Body: Decodable>(_ type: Body.Type, from response: RawResponse) throws -> Body
}
