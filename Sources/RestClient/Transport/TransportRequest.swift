// SPDX-License-Identifier: MIT

public import HTTPTypes
import RestEssentials

/// A request for a transport to send.
public struct TransportRequest: Sendable {
    /// The value of `User-Agent` unless a level sets its own (RFC 9110, section 10.1.5).
    static let userAgent = "swift-rest-client/1"

    /// The HTTP method.
    public var method: HTTPRequest.Method

    /// The absolute `http` or `https` URL, percent-encoded, without a fragment.
    public var url: String

    /// The header fields; the transport adds those that HTTP itself needs (`Host`, `Content-Length`).
    public var headers: HTTPFields

    /// The body; `nil` if there is none.
    ///
    /// The fields that describe it, such as `Content-Type` and `Content-Encoding`, are among the header fields.
    public var body: RequestBody?

    /// The time limit of the exchange; `nil` for none.
    public var timeout: Duration?

    /// The longest pause between two parts of the response's body while a reader waits for one; `nil` for any time.
    public var idleTimeout: Duration?

    /// The longest time from the end of the request to the head of the response; `nil` for any time.
    public var firstByteTimeout: Duration?

    /// The time that the body waits for the server's consent (`Expect: 100-continue`); `nil` if it is sent at once.
    ///
    /// Only ``DirectTransport`` waits, over HTTP/1.1; other transports send the body at once, and without `Expect`.
    public var continueTimeout: Duration?

    /// The factor by which decompression may make the body of the response longer; `nil` for any.
    ///
    /// It does not count for bodies of less than 64 KiB.
    public var decompressionLimit: Int?

    /// The maximum size of the response's body in bytes, after decompression.
    public var responseLimit: Int

    /// The public keys that the server may have, as in `sha256/` and the Base64 of a digest; empty for any.
    ///
    /// A transport that compares them with the key of the server before it sends anything, and fails with
    /// ``RestClientError/Code-swift.struct/tlsFailed`` if it is another one, says so with
    /// ``Transport/checksPinnedKeys``. Its connections are shared only by requests with equal pins.
    public var pinnedKeys: Set<String> = []

    /// The way on which the request is sent; `nil` for the addresses of its host, without a proxy.
    package var way: RequestWay?

    /// False if the request goes to another origin than the one for which its call was made.
    package var hasOwnOrigin = true

    /// The header fields that contain credentials of the call, whatever their names.
    ///
    /// The request does not refer to its call, so that a transport that retains it retains nothing else.
    package var secretFields: Set<HTTPField.Name> = []

    /// True if sending it twice has the same effect as sending it once; `nil` if its method says so.
    var isDeclaredIdempotent: Bool?

    var repetition: Repetition { Repetition(method, isDeclared: isDeclaredIdempotent, body: body) }

    /// The cancellation of the call besides that of the task, which a ``CancellingTransport`` heeds.
    package var cancellation: CallCancellation?

    /// Called if the server sent more than a response whose body is streamed; ``RawResponse/hasSurplus`` says so of
    /// other responses.
    var surplusHandler: (@Sendable () -> Void)?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - url: The absolute URL.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - timeout: The time limit of the exchange.
    ///   - responseLimit: The maximum size of the response's body in bytes.
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

extension TransportRequest {
    func withholdsCertificate(by settings: DirectTransport.Configuration) -> Bool {
        guard settings.hasClientCertificate else {
            return false
        }
        guard let origins = settings.clientCertificateOrigins else {
            return !hasOwnOrigin
        }
        let own = try? HTTPURL(sent: url).origin
        return !origins.contains { (try? HTTPURL(server: $0))?.origin == own }
    }
}

extension TransportRequest: MirroredByDescription {
    /// The method, the URL and the header fields, with secrets masked.
    public var description: String {
        Redaction.request(method, url, headers.masking(secretFields), body: body?.description)
    }
}

extension TransportRequest {
    /// Sets the pins for the host of the request; `ownURL` is the URL that the call names itself, before redirects.
    mutating func pinKeys(by keys: PinnedKeys?, ownURL: String) {
        guard let keys, let host = try? HTTPURL(sent: url).comparedHost else {
            return
        }
        pinnedKeys = keys.pins(of: host, isOwn: (try? HTTPURL(sent: ownURL).comparedHost) == host)
    }

    /// Checks that the request is sent over TLS if the key of its server is pinned.
    func checkPins() throws(RestClientError) {
        guard !pinnedKeys.isEmpty, let target = try? HTTPURL(sent: url), target.scheme != "https" else {
            return
        }
        throw RestClientError(
            .tlsFailed,
            "the key of \(target.host) is pinned, and without TLS it has none; send the request by https, or revoke the "
                + "pins with .pinnedKeys([])"
        )
    }

    /// Checks that a transport checks the pins of the request, and goes its way.
    func check(over transport: any Transport) throws(RestClientError) {
        try checkWay(over: transport)
        guard !pinnedKeys.isEmpty, !transport.checksPinnedKeys else {
            return
        }
        throw RestClientError(
            .tlsFailed,
            "\(type(of: transport)) does not check pinned keys, so the request was not sent; use DirectTransport"
        )
    }
}
