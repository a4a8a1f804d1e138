// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The way in which a response becomes a model, with the model's type captured where it was known.
struct ResponseDecoding<Model: Sendable>: Sendable {
    /// True if all decodings of this model are the same; a closure of the user's may differ in each node.
    var isUniform = false

    let decode: @Sendable (RawResponse, any Dogma, DogmaRequest) throws -> Model

    /// Decodes with a closure of the user.
    static func custom(_ decode: @escaping @Sendable (RawResponse) throws -> Model) -> Self {
        Self { response, _, _ in try decode(response) }
    }

    /// Decodes another type through the dogma, and converts it with a closure of the user.
    static func converted<Body: Decodable & Sendable>(_ convert: @escaping @Sendable (Body) throws -> Model) -> Self {
        let body = ResponseDecoding<Body>.decodable()
        return Self { response, dogma, request in try convert(try body.decode(response, dogma, request)) }
    }
}

extension ResponseDecoding where Model == Void {
    /// Ignores the body.
    static var void: Self {
        Self { _, _, _ in }
    }
}

extension ResponseDecoding where Model: Decodable {
    /// Decodes through the dogma, except that `Data` is the unchanged bytes, `String` is text unless the response is
    /// JSON, and the body of an optional may be empty.
    static func decodable() -> Self {
        Self(isUniform: true) { response, dogma, request in
            if response.body.isEmpty, let optional = Model.self as? any OptionalModel.Type,
                let empty = optional.empty as? Model
            {
                return empty
            }
            if Model.self == Data.self {
                // A cast would look up the type of an optional model.
                return unsafe unsafeBitCast(response.body, to: Model.self)
            }
            if Model.self == Data?.self, let bytes = response.body as? Model {
                return bytes
            }
            if Model.self == String.self || Model.self == String?.self {
                let isJSON = response.headers[.contentType]?.lowercased().contains("json") ?? false
                if !isJSON, let text = String(validating: response.body, as: UTF8.self) as? Model {
                    return text
                }
            }
            return try dogma.decode(Model.self, from: response, for: request)
        }
    }
}

/// Identifies optional models at run time.
private protocol OptionalModel {
    static var empty: Self { get }
}

extension Optional: OptionalModel {
    fileprivate static var empty: Wrapped? { nil }
}
