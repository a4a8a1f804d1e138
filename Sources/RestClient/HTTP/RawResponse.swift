// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// A response before it is decoded: status, header fields and the whole body.
public struct RawResponse: Sendable {
    /// The status of the response.
    public var status: HTTPResponse.Status

    /// The header fields of the response; repeated fields stay separate, in order.
    public var headers: HTTPFields {
        get { head.fields }
        set { head = .fields(newValue) }
    }

    /// The body, with gzip and deflate content codings removed.
    public var body: Data

    /// The body of a streamed response, which can be read once; `nil` for a response with a complete body.
    ///
    /// Only the responses of `stream()` and `serverSentEvents()` have one, once their status was accepted. An
    /// interceptor may wrap it; ``body`` is empty in that case.
    public var stream: ByteStream?

    /// The source of the response.
    public var source: ResponseSource

    /// The URL that responded after redirects; `nil` if it is the request's.
    public var url: String?

    /// The HTTP version of the response; `nil` for responses that did not come over the wire, and over
    /// ``URLSessionTransport``.
    public var httpVersion: HTTPVersion?

    /// The interim responses before this one, in order; empty for stored responses, and over ``URLSessionTransport``.
    public var interimResponses: [InterimResponse] = []

    /// The phases of the exchange; `nil` for responses that did not come over the wire, and if the transport does not
    /// report them.
    public var timings: ExchangeTimings?

    /// A Boolean value that is true if the server sent more than the response, together with its end.
    var hasSurplus = false

    /// The number of connections on which the transport had sent the request before, and which their server had just
    /// closed.
    var staleCount: UInt8 = 0

    private var head: ResponseHead

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status; 200 by default.
    ///   - headers: The header fields.
    ///   - body: The whole body.
    ///   - source: The source of the response; the network by default.
    public init(
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        body: Data = Data(),
        source: ResponseSource = .network
    ) {
        self.init(status: status, head: .fields(headers), body: body, source: source)
    }

    /// Creates a response whose header fields are parsed on first use.
    init(status: HTTPResponse.Status, head: ResponseHead, body: Data) {
        self.init(status: status, head: head, body: body, source: .network)
    }

    /// Sets the age of a stored response; the field `Age` is created on first use.
    mutating func setAge(_ age: Duration) {
        source = .cache(age: age)
        head = .stored(head.fields, age: age.components.seconds)
    }

    /// Returns true if the name of a field begins with one of the prefixes, without creating the fields.
    ///
    /// - Parameter prefixes: The prefixes, in lower case.
    /// - Returns: True if there is such a field.
    func hasField(beginningWith prefixes: [[UInt8]]) -> Bool {
        head.hasField(beginningWith: prefixes)
    }

    private init(status: HTTPResponse.Status, head: ResponseHead, body: Data, source: ResponseSource) {
        self.status = status
        self.head = head
        self.body = body
        self.source = source
    }
}
