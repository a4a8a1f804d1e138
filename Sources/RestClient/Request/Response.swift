// SPDX-License-Identifier: MIT

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A decoded answer, with everything that is known about it.
public struct Response<Model: Sendable>: Sendable {
    /// The decoded model.
    public let model: Model

    /// The answer as it was before decoding.
    public let raw: RawResponse

    /// The call that this answers.
    public let callID: CallID

    /// How many tries were made on the wire; zero when the cache answered.
    public let attempts: Int

    /// The time from the start of the call to the decoded model.
    public let duration: Duration

    /// Where the summary of the request comes from.
    let origin: ResponseOrigin

    /// The request that was sent, without credentials.
    public var request: RequestSummary { origin.summary }

    /// The status of the answer.
    public var status: HTTPResponse.Status { raw.status }

    /// The header fields of the answer.
    public var headers: HTTPFields { raw.headers }

    /// The body of the answer.
    public var body: Data { raw.body }

    /// Where the answer came from.
    public var source: ResponseSource { raw.source }
}

/// What is known of the call that a response or an error belongs to; the summary is made only when someone asks.
enum ResponseOrigin: Sendable {
    case context(CallContext)
    case unresolved(RequestSummary)

    var summary: RequestSummary {
        switch self {
        case .context(let context): context.summary
        case .unresolved(let summary): summary
        }
    }
}
