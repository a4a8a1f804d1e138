// SPDX-License-Identifier: MIT

public import HTTPTypes

/// A request for a transport to send.
public struct TransportRequest: Sendable {
    /// The HTTP method.
    public var method: HTTPRequest.Method

    /// The absolute `http` or `https` URL, percent-encoded, without a fragment.
    public var url: String

    /// The header fields; the transport adds what HTTP itself needs (`Host`, `Content-Length`).
    public var headers: HTTPFields

    /// The body; `nil` if there is none.
    ///
    /// The fields that describe it, such as `Content-Type` and `Content-Encoding`, are among the header fields.
    public var body: RequestBody?

    /// The time that the exchange may take; `nil` for any time.
    public var timeout: Duration?

    /// The longest pause between two chunks of a streamed response while somebody waits for one; `nil` for any time.
    public var idleTimeout: Duration?

    /// How many bytes the body of the response may have, after decompression.
    public var responseLimit: Int

    /// The header fields that hold credentials of the call, whatever they are called.
    ///
    /// The request does not refer to its call, so that a transport which keeps it keeps nothing else alive.
    package var secretFields: Set<HTTPField.Name> = []

    /// The cancellation of the call besides that of the task, which a ``CancellingTransport`` heeds.
    var cancellation: CallCancellation?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - url: The absolute URL.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - timeout: The time the exchange may take.
    ///   - responseLimit: How many bytes the body of the response may have.
    public init(
        method: HTTPRequest.Method,
        url: String,
        headers: HTTPFields = [:],
        body: RequestBody? = nil,
        timeout: Duration? = nil,
        responseLimit: Int = .max
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.responseLimit = responseLimit
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// Method, URL and header fields, with secrets masked.
    public var description: String {
        Redaction.request(method, url, headers.masking(secretFields), body: body?.description)
    }

    /// The description, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self) }
}
