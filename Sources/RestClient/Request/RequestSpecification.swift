// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// Everything a request node says, apart from the type of its model.
struct RequestSpecification: Sendable {
    /// The model that a request carries.
    enum RequestModel: Sendable {
        case none
        /// Named values: the query on GET and HEAD, the body elsewhere.
        case parameters([String: JSONValue])
        /// A value that the dogma encodes.
        case encodable(any Encodable & Sendable)
        /// A body that is sent whatever the method.
        case body(any Encodable & Sendable)
        /// A body that is sent as it is, whatever the method.
        case content(RequestBody)
    }

    var target = RequestTarget()
    var method: HTTPRequest.Method?
    var pathParameters: [String: JSONValue] = [:]
    var query: [(name: String, value: JSONValue)] = []
    var model: RequestModel = .none
    /// True if the body of the response is handed over as it comes.
    var isStreamed = false
    /// Opens the connection that the call takes over; `nil` for calls of a request and a response.
    var upgrade: ConnectionUpgrade?
    var options = CallOptions()
}
