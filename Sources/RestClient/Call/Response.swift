// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// A decoded response with its metadata.
public struct Response<Model: Sendable>: Sendable {
    /// The decoded model.
    public let model: Model

    let details: ResponseDetails

    /// The response as it was before decoding.
    public var raw: RawResponse { details.raw }

    /// The call to which this is the response.
    public var callID: CallID { details.callID }

    /// The number of attempts on the wire; zero when the cache responded.
    public var attempts: Int { details.attempts }

    /// The time from the start of the call to the decoded model.
    public var duration: Duration { details.duration }

    /// The parts of that time: worker slots, connecting, sending, waiting, receiving and decoding.
    ///
    /// It is computed on access. Over ``URLSessionTransport`` an exchange only has a start and an end.
    public var timings: CallTimings {
        details.timings ?? CallTimings(waits: [], exchanges: [], decoding: nil, decoded: nil)
    }

    /// The request that was sent, without credentials.
    public var request: RequestSummary { details.origin.summary }

    /// The status of the response.
    public var status: HTTPResponse.Status { raw.status }

    /// The header fields of the response.
    public var headers: HTTPFields { raw.headers }

    /// The body of the response.
    public var body: Data { raw.body }

    /// The source of the response.
    public var source: ResponseSource { raw.source }

    /// Returns the options that were in force for the call, by name, with the levels that set them.
    ///
    /// Values that may be secrets are omitted; options that no level sets are not listed.
    ///
    /// - Returns: The options.
    public func explainOptions() -> [CallOptions.Explanation] {
        details.origin.call.map { $0.options.explanations(in: $0.policy.environment) } ?? []
    }

    /// Tells the story of the call in sentences, without secrets.
    ///
    /// It names the server and the reason for it, the options in force and their levels, the decision of the cache, the
    /// origins of credentials, the waits, and each attempt with the reason why it was repeated.
    ///
    /// - Returns: The story, one sentence per line.
    public func explain() -> String {
        let count = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
        let end = "succeeded with \(status.code) from \(source.name) after \(count) in \(duration)"
        return details.origin.call?.story(end: end, cache: "\(cache).") ?? "\(request) \(end)."
    }

    /// The fallback that was used because the server failed; `nil` if none was.
    public var fallback: Fallback? { details.fallback }

    /// The decision of the cache about the call, and its reason.
    public var cache: CacheExplanation { details.cache }
}

extension Response: CustomStringConvertible, CustomReflectable {
    /// The response before decoding, with secrets masked; the model is not shown.
    public var description: String { raw.description }

    /// The model, and the response before decoding, for `dump` and other uses of reflection.
    public var customMirror: Mirror {
        Mirror(self, children: ["model": model, "raw": raw, "request": request])
    }
}

extension Response {
    /// The links of the response to other resources, from its header fields `Link` (RFC 8288), in order.
    public var links: [WebLink] { raw.links }
}

extension RawResponse {
    /// The links of the response to other resources.
    var links: [WebLink] {
        WebLink.links(in: headers[fields: .link].map(\.reference))
    }
}

/// The properties of a response except its model.
struct ResponseDetails: Sendable {
    var raw: RawResponse
    let callID: CallID
    let attempts: Int
    let duration: Duration
    /// The time of day at which the call began.
    let startedAt: Date
    let origin: ResponseOrigin
    var cache = CacheExplanation.notAsked
    /// The fallback that replaced a failure; `nil` if the response is the server's, or the cache's as usual.
    var fallback: Fallback?

    /// The timings of the call; `nil` when it failed before it had a request.
    var timings: CallTimings? { origin.timings }
}

/// The call to which a response or an error belongs; its summary is created on first use.
enum ResponseOrigin: Sendable {
    case context(CallContext)
    indirect case unresolved(RequestSummary)

    var call: CallContext? {
        if case .context(let context) = self { context } else { nil }
    }

    var summary: RequestSummary {
        switch self {
        case .context(let context): context.summary
        case .unresolved(let summary): summary
        }
    }

    /// The timings of the call so far; `nil` when it failed before it had a request.
    var timings: CallTimings? { call?.timings }
}
