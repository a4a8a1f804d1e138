// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The way in which a response becomes a model, with the model's type captured where it was known.
struct ResponseDecoding<Model: Sendable>: Sendable {
    /// True if all decodings of this model are the same; a closure of the user's may differ in each node.
    var isUniform = false

    /// True if no dogma decodes the body, so that it may be of any media type.
    var takesAnyType = true

    let decode: @Sendable (RawResponse, any Dogma, DogmaRequest) throws -> Model

    static func custom(_ decode: @escaping @Sendable (RawResponse) throws -> Model) -> Self {
        Self { response, _, _ in try decode(response) }
    }

    static func converted<Body: Decodable & Sendable>(_ convert: @escaping @Sendable (Body) throws -> Model) -> Self {
        let body = ResponseDecoding<Body>.decodable()
        return Self(takesAnyType: body.takesAnyType) { response, dogma, request in
            try convert(try body.decode(response, dogma, request))
        }
    }
}

extension ResponseDecoding where Model == Void {
    static var void: Self { Self { _, _, _ in } }
}

extension ResponseDecoding where Model: Decodable {
    /// Decodes through the dogma, except that `Data` is the unchanged bytes, `String` is text unless the response is
    /// JSON, and the body of an optional may be empty, or blank where the dogma would decode it.
    static func decodable() -> Self {
        let isData = Model.self == Data.self || Model.self == Data?.self
        let isText = Model.self == String.self || Model.self == String?.self
        return Self(isUniform: true, takesAnyType: isData || isText) { response, dogma, request in
            let isPlain = isText && !MediaType.isJSON(response.headers[.contentType])
            if isData || isPlain ? response.body.isEmpty : JSONText.isBlank(response.body), let empty = Self.empty {
                return empty
            }
            if Model.self == Data.self {
                // A cast would look up the type of an optional model.
                return unsafe unsafeBitCast(response.body, to: Model.self)
            }
            if isData, let bytes = response.body as? Model {
                return bytes
            }
            return isPlain
                ? try text(response, dogma, request) : try dogma.decode(Model.self, from: response, for: request)
        }
    }

    /// Returns the text of a response; a dogma may know how to read one that is not plain.
    private static func text(_ response: RawResponse, _ dogma: any Dogma, _ request: DogmaRequest) throws -> Model {
        do {
            let text = try TextEncoding.text(of: response.body, contentType: response.headers[.contentType])
            if text.isEmpty, let empty = Self.empty {
                return empty
            }
            if let text = text as? Model {
                return text
            }
        } catch {
            guard let model = try? dogma.decode(Model.self, from: response, for: request) else {
                throw error
            }
            return model
        }
        return try dogma.decode(Model.self, from: response, for: request)
    }

    /// The value of an optional model that is nothing; `nil` for other models.
    private static var empty: Model? {
        (Model.self as? any OptionalModel.Type)?.empty as? Model
    }
}

private protocol OptionalModel {
    static var empty: Self { get }
}

extension Optional: OptionalModel {
    fileprivate static var empty: Wrapped? { nil }
}
