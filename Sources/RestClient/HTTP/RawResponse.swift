// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// A response before it is decoded: status, header fields and the whole body.
public struct RawResponse: Sendable {
    /// The status of the response.
    public var status: HTTPResponse.Status

    /// The header fields of the response; repeated ones stay separate, in order.
    public var headers: HTTPFields {
        get { head.fields }
        set { head = .fields(newValue) }
    }

    /// The body, with a gzip or deflate content coding already undone.
    public var body: Data

    /// Where the response came from.
    public var source: ResponseSource

    /// The URL that answered, which differs from the request's after a redirect; `nil` when it is the request's.
    public var url: String?

    /// The version of HTTP that the server speaks; `nil` for answers that did not come over the wire, and over
    /// ``URLSessionTransport``.
    public var httpVersion: HTTPVersion?

    /// What the server said before the response, in order; empty for stored responses, and over ``URLSessionTransport``.
    public var interimResponses: [InterimResponse] = []

    /// What the time of the exchange went into; `nil` for answers that did not come over the wire, and when the transport
    /// does not say.
    public var timings: ExchangeTimings?

    private var head: ResponseHead

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields.
    ///   - body: The whole body.
    ///   - source: Where the response came from; the network by default.
    public init(
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        body: Data = Data(),
        source: ResponseSource = .network
    ) {
        self.init(status: status, head: .fields(headers), body: body, source: source)
    }

    /// Creates a response whose header fields are made from their lines when someone asks for them.
    init(status: HTTPResponse.Status, lines: [ResponseHead.Line], body: Data) {
        self.init(status: status, head: .lines(lines), body: body, source: .network)
    }

    private init(status: HTTPResponse.Status, head: ResponseHead, body: Data, source: ResponseSource) {
        self.status = status
        self.head = head
        self.body = body
        self.source = source
    }
}
