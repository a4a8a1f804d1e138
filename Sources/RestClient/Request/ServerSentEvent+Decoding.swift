// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension ServerSentEvent {
    /// Decodes the data with the dogma of the call from which the event came.
    ///
    /// ```swift
    /// for try await event in manager.request(.feed).serverSentEvents() {
    ///     switch event.type {
    ///     case "price": show(try event.decode(Price.self))
    ///     case "trade": record(try event.decode(Trade.self))
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// An event that did not come from a call is decoded as JSON. For events of a single type see
    /// ``RequestNode/serverSentEvents(of:_:after:where:)``.
    ///
    /// - Parameter type: The type of the model.
    /// - Returns: The model.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/decodingFailed``, whose response
    ///   has the data as its body.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(RestClientError) -> Value {
        let response = RawResponse(body: Data(data.utf8))
        do {
            return try (reader ?? Self.plainReader).decode(Value.self, from: response)
        } catch {
            throw RestClientError(
                .decodingFailed,
                "could not decode \(Value.self) from the data of an event of \(response.body.count) bytes: "
                    + DecodingReason.describe(error),
                response: response,
                underlying: error
            )
        }
    }

    private static var plainReader: any BodyReader {
        ResolvedDogma(
            dogma: JSONDogma(),
            request: DogmaRequest(
                method: .get,
                api: nil,
                server: nil,
                template: "",
                keyStrategy: nil,
                dateStrategy: nil
            )
        )
    }
}
