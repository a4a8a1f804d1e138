// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// The content of a request node, except the type of its model.
struct RequestSpecification: Sendable {
    enum RequestModel: Sendable {
        case none
        /// Named values: the query for GET and HEAD, the body for other methods.
        case values([String: JSONValue])
        /// A value that the dogma encodes as the body, for any method.
        case body(any Encodable & Sendable)
        /// A body that is sent unchanged, with any method.
        case content(RequestBody)
        /// A value that encodes itself, for any method.
        case payload(any RequestPayload)

        /// The model as the node was given it.
        var value: (any Sendable)? {
            switch self {
            case .none: nil
            case .values(let values): values
            case .body(let model): model
            case .content(let body): body.bytes ?? body
            case .payload(let payload): payload
            }
        }
    }

    var target = RequestTarget()
    var method: HTTPRequest.Method?
    var pathParameters = PathParameters()
    var query: [(name: String, value: JSONValue)] = []
    /// The query items that take the place of all others with the same names, those of the URL too.
    var replacingQuery: [(name: String, value: JSONValue)] = []
    var queryModels: [any Encodable & Sendable] = []
    var model: RequestModel = .none
    /// True if the call is made to send its body, so that a method that retrieves is a mistake.
    var isUpload = false
    /// True if no dogma decodes the body of the response.
    var takesAnyType = false
    /// True if the body of the response is delivered as it arrives.
    var isStreamed = false
    /// True if the body of the response may pause for any time, as that of a feed does.
    var mayPause = false
    /// The feed or the download of which the call is a part; `nil` for a call by itself.
    ///
    /// The call fails with its original error, by which the series decides: it maps only the error that it throws.
    var series: SeriesCall?
    /// Opens the connection that the call takes over; `nil` for calls of a request and a response.
    var upgrade: ConnectionUpgrade?
    var options = CallOptions()
}

/// The values of a path's placeholders.
///
/// A path has few of them, so a list takes less time than a dictionary to make and to search.
struct PathParameters: Sendable {
    private(set) var values: [(name: String, value: JSONValue)] = []

    var isEmpty: Bool { values.isEmpty }

    subscript(name: String) -> JSONValue? {
        values.first { $0.name == name }?.value
    }

    var byName: [String: JSONValue] {
        values.reduce(into: Dictionary(minimumCapacity: values.count)) { $0[$1.name] = $1.value }
    }

    mutating func set(_ name: String, _ value: JSONValue) {
        if let index = values.firstIndex(where: { $0.name == name }) {
            values[index].value = value
        } else {
            values.append((name, value))
        }
    }
}

extension RequestSummary {
    /// Describes a request whose target is not resolved.
    init(of specification: RequestSpecification) {
        let target = specification.target
        var url: String?
        var server: ServerAlias?
        switch target.server {
        case .defaultServer: break
        case .key(let key): server = ServerAlias(rawValue: AliasText.shown(key.rawValue))
        case .address(let address): url = Redaction.url(address)
        case .url(let address): url = Redaction.url(address)
        }
        self.init(
            method: specification.method,
            url: url,
            api: target.api.map(AliasText.shown),
            server: server,
            template: target.endpoint.map { Redaction.url($0.source) },
            callIdentifier: specification.options[.callIdentifier],
            isMuted: specification.options[.isMuted] ?? false
        )
    }
}

extension RequestSpecification {
    /// Returns the options of a provider's call, whose interceptors cannot send it elsewhere; it fails if the method,
    /// the field `Host` or a fallback makes it another operation.
    ///
    /// The options of outer levels are the manager's, and may do so.
    func confinedOptions(to target: ResolvedTarget) throws(RestClientError) -> CallOptions {
        func refusal(_ cause: String) -> RestClientError {
            TargetResolver.notExposed(target.apiName, because: cause)
        }
        if let method, let own = target.api?.value.method, method != own {
            throw refusal("has the method \(method.rawValue) instead of \(own.rawValue)")
        }
        var options = options
        if let host = OutgoingRequest.hostField, options[.headers]?.contains(host) == true {
            throw refusal("the field Host names another one")
        }
        for case .server(let alias) in options[.fallback]?.fallbacks.map(\.step) ?? [] {
            throw refusal("it falls back to \(AliasText.named("server", alias.rawValue))")
        }
        for key in [CallOptionKey<InterceptorList>.callInterceptors, .attemptInterceptors] {
            if let list = options[key] {
                options[key] = InterceptorList(
                    interceptors: list.interceptors.map {
                        ConfinedInterceptor(base: $0, refusal: refusal("an interceptor changed its target"))
                    }
                )
            }
        }
        return options
    }
}

extension RequestNode {
    /// Returns the node of a provider: it fails when it is sent to anything but its operation.
    consuming func confined() -> Self {
        specification.target.confine()
        return self
    }
}
