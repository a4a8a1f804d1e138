// SPDX-License-Identifier: MIT

public import HTTPTypes
import RestEssentials

/// A description of a dummy: the requests that it responds to, and its responses.
///
/// A description is a value. It has no effect until it is registered, and may be registered any number of times:
///
/// ```swift
/// manager.dummies.register {
///     Dummy(.get, "/users/{id}").responds { request in .json(User(id: request.parameters["id"])) }
///     Dummy(.post, "/orders")
///         .matching("has a key") { request in request.headers[.authorization] != nil }
///         .delay(.uniform(.milliseconds(20)...(.milliseconds(80)), seed: 7))
///         .responds(.status(.serviceUnavailable))
///         .then(.status(.created))
/// }
/// ```
///
/// When several dummies match a request, one responds: the one with the highest priority; of those, one of an API
/// before one of a path; then, segment by segment, text before a placeholder and a placeholder before a rest; then one
/// with a method, one with a server, and the one with the most conditions; then one with a number of calls
/// (``times(_:)``) before one without; and finally the one registered last. Dummies that are used up or wait for
/// another state of their scenario are skipped.
public struct Dummy: Sendable, MirroredByDescription {
    package struct Endpoint: Sendable, Hashable {
        package let method: HTTPRequest.Method?
        package let template: PathTemplate
        package let server: ServerAlias?
        let pattern: PathPattern
    }

    package enum Target: Sendable, Hashable {
        case endpoint(Endpoint)
        case api(String)
    }

    package struct Scenario: Sendable, Hashable {
        package let name: String
        /// The state in which the dummy responds; `nil` for any.
        package let state: String?
        /// The state to which it leads; `nil` if it does not change it.
        let next: String?
    }

    enum Response: Sendable {
        case fixed(DummyResponse)
        case model(@Sendable (DummyRequest) throws -> DummyResponse)
        case closure(@Sendable (DummyRequest) async throws -> DummyResponse)
    }

    /// The state in which every scenario starts, `start`.
    public static let startState = "start"

    package let target: Target
    package var conditions: [RequestMatcher] = []
    var priority = 0
    var delay = DummyDelay.fixed(.zero)
    package var limit: Int?
    package var scenario: Scenario?
    var responses: [Response] = []

    /// Describes a dummy of an endpoint.
    ///
    /// It responds with status 200 and no body unless it is given a response.
    ///
    /// - Parameters:
    ///   - method: The HTTP method; any if `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders. Query items in it, as in
    ///     `/search?page=2`, are conditions; query placeholders are ignored.
    ///   - server: The server that the dummy replaces; any by default.
    public init(_ method: HTTPRequest.Method?, _ template: PathTemplate, server: ServerAlias? = nil) {
        let pattern = PathPattern(template)
        target = .endpoint(Endpoint(method: method, template: template, server: server, pattern: pattern))
        conditions = Self.queryItems(of: template)
    }

    /// Describes a dummy of an API.
    ///
    /// It responds with status 200 and no body unless it is given a response.
    ///
    /// It responds to calls that name the API, at the method, server and path that are registered for it when the call
    /// is made.
    ///
    /// - Parameter api: The alias of the API.
    public init<Model>(_ api: APIAlias<Model>) {
        target = .api(api.rawValue)
    }

    /// Describes a dummy of an API that responds with a model of the API's type.
    ///
    /// - Parameters:
    ///   - api: The alias of the API.
    ///   - model: The model, encoded by the call's dogma. Bytes are sent as they are, and so is text, unless the dogma
    ///     rejects a response that is plain text, as ``EnvelopeDogma`` does.
    public init<Model: Encodable & Sendable>(_ api: APIAlias<Model>, responding model: Model) {
        target = .api(api.rawValue)
        let response: Response =
            switch model {
            case let text as String: .model { request in try request.response(withText: text) }
            case let bytes as Data: .fixed(.bytes(bytes))
            default: .model { request in try request.response(with: model) }
            }
        responses = [response]
    }

    /// The method, server and path, as in `GET store /users/{user}`, or the API, as in `API orders`.
    public var description: String {
        switch target {
        case .api(let name):
            return MessageText.of("API \(name)")
        case .endpoint(let endpoint):
            let method = endpoint.method?.rawValue ?? "any method"
            let parts = [method, endpoint.server?.rawValue, Redaction.url(endpoint.template.source)]
            return MessageText.of(parts.compactMap(\.self).joined(separator: " "))
        }
    }

    /// The query items in a template as conditions; one without a value may have any.
    private static func queryItems(of template: PathTemplate) -> [RequestMatcher] {
        template.literalQuery.map { item in item.value.map { .query(item.name, [$0]) } ?? .query(item.name) }
    }

    /// Returns the response to a call by its number, from 1; the last one is repeated.
    func response(toCall number: Int) -> Response {
        responses.isEmpty ? .fixed(DummyResponse()) : responses[max(0, min(number, responses.count) - 1)]
    }
}
