// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// A response before it is decoded: status, header fields and the whole body.
public struct RawResponse: Sendable {
    struct Parts: Sendable {
        var status: HTTPResponse.Status
        var head: ResponseHead
        var body: Data
        var stream: ByteStream?
        var source = ResponseSource.network
        var url: String?
        var httpVersion: HTTPVersion?
        var interimResponses: [InterimResponse] = []
        var timings: ExchangeTimings?
        var hasSurplus = false
        var staleCount: UInt8 = 0
        var way: String?

        mutating func setAge(_ age: Duration) {
            source = .cache(age: age)
            head = .stored(head.fields, age: age.components.seconds)
        }
    }

    private final class Storage: Sendable {
        let parts: Parts

        init(_ parts: Parts) {
            self.parts = parts
        }
    }

    /// The parts, behind one reference: they take 200 bytes, and each function that passes a response on would reserve
    /// room for several of them.
    private var storage: Storage

    private var parts: Parts {
        get { storage.parts }
        set { storage = Storage(newValue) }
    }

    /// The status of the response.
    public var status: HTTPResponse.Status {
        get { storage.parts.status }
        set { parts.status = newValue }
    }

    /// The header fields of the response; repeated fields stay separate, in order.
    public var headers: HTTPFields {
        get { storage.parts.head.fields }
        set { parts.head = .fields(newValue) }
    }

    /// The body, with gzip and deflate content codings removed.
    public var body: Data {
        get { storage.parts.body }
        set { parts.body = newValue }
    }

    /// The body of a streamed response, which can be read once; `nil` for a response with a complete body.
    ///
    /// Only the responses of `stream()` and `serverSentEvents()` have one, once their status was accepted. An
    /// interceptor may wrap it; ``body`` is empty in that case.
    public var stream: ByteStream? {
        get { storage.parts.stream }
        set { parts.stream = newValue }
    }

    /// The source of the response.
    public var source: ResponseSource {
        get { storage.parts.source }
        set { parts.source = newValue }
    }

    /// The URL that responded after redirects; `nil` if it is the request's.
    public var url: String? {
        get { storage.parts.url }
        set { parts.url = newValue }
    }

    /// The HTTP version of the response; `nil` for responses that did not come over the wire, and over
    /// ``URLSessionTransport``.
    public var httpVersion: HTTPVersion? {
        get { storage.parts.httpVersion }
        set { parts.httpVersion = newValue }
    }

    /// The interim responses before this one, in order; empty for stored responses, and over ``URLSessionTransport``.
    public var interimResponses: [InterimResponse] {
        get { storage.parts.interimResponses }
        set { parts.interimResponses = newValue }
    }

    /// The phases of the exchange; `nil` for responses that did not come over the wire, and if the transport does not
    /// report them.
    public var timings: ExchangeTimings? {
        get { storage.parts.timings }
        set { parts.timings = newValue }
    }

    /// A Boolean value that is true if the server sent more than the response, together with its end.
    var hasSurplus: Bool {
        get { storage.parts.hasSurplus }
        set { parts.hasSurplus = newValue }
    }

    /// The number of connections on which the transport had sent the request before, and which their server had just
    /// closed.
    var staleCount: UInt8 {
        get { storage.parts.staleCount }
        set { parts.staleCount = newValue }
    }

    /// The sentence about the way on which the response came; `nil` for the usual one.
    var way: String? {
        get { storage.parts.way }
        set { parts.way = newValue }
    }

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
        self.init(Parts(status: status, head: .fields(headers), body: body, source: source))
    }

    init(_ parts: Parts) {
        storage = Storage(parts)
    }

    /// Sets the age of a stored response; the field `Age` is created on first use.
    mutating func setAge(_ age: Duration) {
        parts.setAge(age)
    }

    /// Returns true if the name of a field begins with one of the prefixes, which are in lower case, without creating
    /// the fields.
    func hasField(beginningWith prefixes: [[UInt8]]) -> Bool {
        storage.parts.head.hasField(beginningWith: prefixes)
    }
}

extension RawResponse {
    /// Returns the response with its collected body; the body of a failure is truncated at the limit instead of
    /// rejected.
    func collected(limit: Int) async throws -> RawResponse {
        guard let stream else {
            return self
        }
        var body = body
        for try await chunk in stream {
            let room = limit - body.count
            body.append(chunk.prefix(room))
            if chunk.count > room {
                break
            }
        }
        var response = self
        response.stream = nil
        response.body = body
        return response
    }

    func watched(ended: @escaping WatchedSource.Watcher) -> RawResponse {
        guard let stream else {
            return self
        }
        var response = self
        response.stream = ByteStream(WatchedSource(stream.release(), ended: ended))
        return response
    }

    /// The HTTP version of a response on the wire.
    ///
    /// The raw value is the name used in start lines and HAR files.
    public enum HTTPVersion: String, Sendable, Hashable, CustomStringConvertible {
        /// HTTP/1.0 (RFC 1945).
        case http10 = "HTTP/1.0"
        /// HTTP/1.1 (RFC 9112).
        case http11 = "HTTP/1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "HTTP/2"
        /// HTTP/3 (RFC 9114).
        case http3 = "HTTP/3"

        init?(major: Int, minor: Int) {
            switch (major, minor) {
            case (1, 0): self = .http10
            case (1, 1): self = .http11
            case (2, 0): self = .http2
            case (3, 0): self = .http3
            default: return nil
            }
        }

        /// The version as in `HTTP/1.1`.
        public var description: String { rawValue }
    }
}
