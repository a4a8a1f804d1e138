// SPDX-License-Identifier: MIT

public import HTTPTypes
import RestEssentials

/// A description of a dummy: which requests it answers, when, and with what.
///
/// A description is a value; it does nothing until it is registered, and may be registered any number of times:
///
/// ```swift
/// manager.dummies.register {
///     Dummy(.get, "/users/{id}").answers { request in .json(User(id: request.parameters["id"])) }
///     Dummy(.post, "/orders")
///         .matching(.header(.contentType, "application/json"), .json(["item": 7], ignoring: ["createdAt"]))
///         .delay(.uniform(.milliseconds(20)...(.milliseconds(80)), seed: 7))
///         .answers(.status(.serviceUnavailable))
///         .then(.status(.created))
/// }
/// ```
///
/// When several dummies fit a request, one answers: the one with the highest priority; of those, one of an API operation
/// before one of a path; then, segment by segment, text before a placeholder and a placeholder before a rest; then one with
/// a method, one with a server, and the one with the most conditions; and at last the one registered last. Those that are
/// used up (``times(_:)``) or wait for another state of their scenario are passed over.
public struct Dummy: Sendable, CustomStringConvertible {
    /// Which requests are meant, apart from the conditions.
    enum Target: Sendable, Hashable {
        case endpoint(HTTPRequest.Method?, PathTemplate, ServerAlias?)
        case api(String)
    }

    /// The part that a dummy plays in a scenario.
    struct Scene: Sendable, Hashable {
        let scenario: String
        let state: String?
        let next: String?
    }

    /// Makes a response.
    enum Answer: Sendable {
        case response(DummyResponse)
        case closure(@Sendable (DummyRequest) async throws -> DummyResponse)
    }

    /// The state in which every scenario begins, `start`.
    public static let startState = "start"

    let target: Target
    var matchers: [RequestMatcher] = []
    var priority = 0
    var delay = DummyDelay.none
    var limit: Int?
    var scene: Scene?
    var answers: [Answer] = []

    /// Describes a dummy of an endpoint, which answers 200 without a body until ``answers(_:)-(DummyResponse)`` says more.
    ///
    /// - Parameters:
    ///   - method: The HTTP method to answer; any when `nil`.
    ///   - template: The path below the server's address, with `{name}` placeholders. Query items in it, as in
    ///     `/search?page=2`, are conditions like those of ``RequestMatcher/query(_:_:)``; query placeholders do not matter.
    ///   - server: The server to stand in for; any by default.
    public init(_ method: HTTPRequest.Method?, _ template: PathTemplate, server: ServerAlias? = nil) {
        target = .endpoint(method, template, server)
        matchers = Self.queryItems(of: template)
    }

    /// Describes a dummy of an API operation, which answers 200 without a body until ``answers(_:)-(DummyResponse)`` says
    /// more.
    ///
    /// It answers the calls that name the operation, at the method, server and path that are registered for it when the
    /// call is made.
    ///
    /// - Parameter api: The alias of the operation.
    public init<Model>(_ api: APIAlias<Model>) {
        target = .api(api.rawValue)
    }

    /// Describes a dummy of an API operation that answers with the model that the operation is typed with.
    ///
    /// - Parameters:
    ///   - api: The alias of the operation.
    ///   - model: The model, sent as JSON; a text and bytes as they are.
    public init<Model: Encodable>(_ api: APIAlias<Model>, answering model: Model) {
        target = .api(api.rawValue)
        let response: DummyResponse =
            switch model {
            case let text as String: .text(text)
            case let bytes as Data: .bytes(bytes)
            default: .json(model)
            }
        answers = [.response(response)]
    }

    /// Method, server and path, as in `GET store /users/{user}`, or the operation, as in `API orders`.
    public var description: String {
        switch target {
        case .api(let name):
            return "API \(name)"
        case .endpoint(let method, let template, let server):
            let parts = [method?.rawValue ?? "any method", server?.rawValue, Redaction.url(template.source)]
            return parts.compactMap(\.self).joined(separator: " ")
        }
    }

    /// The query items that a template spells out, as conditions; one without a value may have any.
    private static func queryItems(of template: PathTemplate) -> [RequestMatcher] {
        guard let mark = template.source.firstIndex(of: "?") else {
            return []
        }
        let query = template.source[template.source.index(after: mark)...].prefix { $0 != "#" }
        return query.split(separator: "&")
            .filter { item in !item.contains { $0 == "{" || $0 == "}" || $0 == "$" } }
            .map { item in
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = PercentEncoding.decode(parts[0])
                return parts.count == 1 ? .query(name) : .query(name, PercentEncoding.decode(parts[1]))
            }
    }

    /// The response to a call, by the call's number from 1; the last response is given for ever.
    func answer(toCall number: Int) -> Answer {
        answers.isEmpty ? .response(DummyResponse()) : answers[max(0, min(number, answers.count) - 1)]
    }
}
