// SPDX-License-Identifier: MIT

protocol BodyReader: Sendable {
    func decode<Body: Decodable>(_ type: Body.Type, from response: RawResponse) throws -> Body
}
