// SPDX-License-Identifier: MIT

/// The dogma of a call, with what it is told of the call.
struct ResolvedDogma: BodyReader {
    let dogma: any Dogma
    let request: DogmaRequest

    func decode<Body: Decodable>(_ type: Body.Type, from response: RawResponse) throws -> Body {
        try dogma.decode(type, from: response, for: request)
    }
}
