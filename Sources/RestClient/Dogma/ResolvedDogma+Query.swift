// SPDX-License-Identifier: MIT

import RestEssentials

extension ResolvedDogma {
    /// Returns the members of a model as items of a query, in the order of their names.
    func queryItems(of model: some Encodable) throws(RestClientError) -> [(name: String, value: JSONValue)] {
        let json = dogma as? JSONDogma ?? (dogma as? FormDogma)?.json ?? JSONDogma()
        let value: JSONValue
        do {
            value = try json.written(model, for: request)
        } catch {
            throw RestClientError(
                .encodingFailed,
                "\(Swift.type(of: model)) cannot be encoded as a query",
                underlying: error
            )
        }
        guard case .object(let members) = value else {
            throw RestClientError(
                .encodingFailed,
                "a query needs named items, and \(Swift.type(of: model)) encodes to something else; "
                    + "use .query(_:_:) with a name"
            )
        }
        return members.inOrder.map { ($0.key, $0.value) }
    }
}
