// SPDX-License-Identifier: MIT

import RestEssentials

/// A dogma for unconverted bytes and text.
///
/// Request models are `Data` or `String`; responses are `Data`, or `String` in their charset.
struct RawDogma: Dogma {
    var acceptedContentType: String? { nil }

    func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        switch model {
        case let bytes as Data:
            return EncodedBody(bytes, contentType: "application/octet-stream")
        case let text as String:
            return EncodedBody(Data(text.utf8), contentType: "text/plain; charset=utf-8")
        default:
            let context = EncodingError.Context(
                codingPath: [],
                debugDescription: "the raw dogma sends Data and String; choose another dogma for models"
            )
            throw EncodingError.invalidValue(model, context)
        }
    }

    func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        if let bytes = response.body as? Model {
            return bytes
        }
        guard
            let text = try TextEncoding.text(of: response.body, contentType: response.headers[.contentType]) as? Model
        else {
            let context = DecodingError.Context(
                codingPath: [],
                debugDescription: "the raw dogma returns Data and String; choose another dogma"
            )
            throw DecodingError.typeMismatch(type, context)
        }
        return text
    }
}
