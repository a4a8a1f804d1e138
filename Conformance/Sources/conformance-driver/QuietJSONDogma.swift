// SPDX-License-Identifier: MIT

import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes JSON without asking for it: a request carries no field that its line does not name.
struct QuietJSONDogma: Dogma {
    static let alias: DogmaAlias = "quiet-json"

    private let json = JSONDogma()

    var acceptedContentType: String? { nil }

    func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        try json.encode(model, for: request)
    }

    func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        try json.decode(type, from: response, for: request)
    }
}
