// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

/// The failure of a request: what failed, where, and what to do about it.
///
/// Every failure of this library is a value of this type, with two exceptions: a cancelled call throws Swift's
/// `CancellationError`, and an error that your own code throws inside a request (an interceptor, an error mapper)
/// arrives unchanged.
///
/// ```swift
/// do {
///     let order = try await manager.request(.order).parameter("id", 7).send()
/// } catch let error as RestClientError where error.status == .notFound {
///     // …
/// }
/// ```
///
/// The description contains no credentials: secret header fields and query items are masked.
public struct RestClientError: Error, Sendable, CustomStringConvertible, CustomReflectable {
    struct Parts: Sendable {
        let code: Code
        var message: String
        var request: RequestSummary?
        var node: String?
        let response: RawResponse?
        var attempts = 0
        var timings: CallTimings?
        let underlying: (any Error)?
        var span: Span?
        var unsafeCount: Int?
        var storyteller: (@Sendable (_ end: String) -> String?)?
        var reader: (any BodyReader)?
        var refusedFor: Duration?
        var isUnsent: Bool?
    }

    struct Span: Sendable {
        let id: CallID
        let startedAt: Date
        let duration: Duration
    }

    private final class Storage: Sendable {
        let parts: Parts

        init(_ parts: Parts) {
            self.parts = parts
        }
    }

    /// The parts, behind one reference: they take 600 bytes, for which every function that may throw an error would
    /// reserve room, once for each call of such a function.
    private var storage: Storage

    var parts: Parts {
        get { storage.parts }
        set { storage = Storage(newValue) }
    }

    /// The kind of failure.
    public var code: Code { storage.parts.code }

    /// A sentence that says what is wrong, where, and what to do; or your own, see
    /// `errorTexts(_:byCode:)`.
    public var message: String { storage.parts.message }

    /// The request that failed; `nil` if there was none.
    public var request: RequestSummary? { storage.parts.request }

    /// The node of a graph that failed, as `outer/inner` for a node of a sub-graph; `nil` outside of graphs.
    public var node: String? { storage.parts.node }

    /// The server's response, with its body, if there was one.
    public var response: RawResponse? { storage.parts.response }

    /// The number of attempts on the wire; zero if nothing was sent.
    public var attempts: Int { storage.parts.attempts }

    /// The timings of the call; `nil` if there was no request.
    public var timings: CallTimings? { storage.parts.timings }

    /// The underlying error, if there is one.
    public var underlying: (any Error)? { storage.parts.underlying }

    var span: Span? { storage.parts.span }

    /// The number of unsafe requests of the call that had an effect, or may have had one; `nil` when the error belongs
    /// to no call.
    ///
    /// The call is the one that threw the error last. If an interceptor sends another call, and throws its error, the
    /// number is not that of the other call.
    var unsafeCount: Int? {
        get { storage.parts.unsafeCount }
        set { parts.unsafeCount = newValue }
    }

    /// Tells the story of the call, given its end; `nil` when the error belongs to no call.
    var storyteller: (@Sendable (_ end: String) -> String?)? {
        get { storage.parts.storyteller }
        set { parts.storyteller = newValue }
    }

    /// Decodes the body as the call would have; `nil` when the error belongs to no call.
    var reader: (any BodyReader)? { storage.parts.reader }

    /// The time for which the guards of the server refuse calls; `nil` if it is unknown, or if they refused none.
    package var refusedFor: Duration? {
        get { storage.parts.refusedFor }
        set { parts.refusedFor = newValue }
    }

    /// True if nothing of the request was sent, false if some of it may have been; `nil` if only the code says it.
    ///
    /// The transport knows it, whatever the error is: also a code of failed connections can end one that was made.
    package var isUnsent: Bool? {
        get { storage.parts.isUnsent }
        set { parts.isUnsent = newValue }
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What is wrong, where, and what to do, without secrets.
    ///   - response: The server's response.
    ///   - underlying: The underlying error.
    public init(
        _ code: Code,
        _ message: String,
        response: RawResponse? = nil,
        underlying: (any Error)? = nil
    ) {
        let message = MessageText.of(message)
        storage = Storage(Parts(code: code, message: message, response: response, underlying: underlying))
    }

    /// The status of the server's response, if there was one.
    public var status: HTTPResponse.Status? { response?.status }

    /// The code, the message, the node and the request, without credentials.
    public var description: String {
        var text = "\(code.description): \(message)"
        if let node {
            text += " [node '\(node)']"
        }
        if let request {
            text += " (\(request.description)"
            text += attempts > 1 ? ", \(attempts) attempts)" : ")"
        }
        if let underlying {
            text += "; underlying: \(Redaction.error(underlying))"
        }
        // Its message may end at the limit already.
        return MessageText.of(text, limit: 2 * MessageText.messageLimit)
    }

    /// The description and the response, for `dump` and other uses of reflection.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "response": response as Any])
    }
}

extension RestClientError {
    /// Tells the story of the failed call in sentences, without secrets.
    ///
    /// It names the server and the reason for it, the options in force and their levels, the origins of credentials,
    /// the waits, and each attempt with the reason why it was or was not repeated.
    ///
    /// - Returns: The story, one sentence per line; the description when the error belongs to no call.
    public func explain() -> String {
        storyteller?("failed with \(code): \(message)") ?? description
    }

    static func timedOut(after limit: Duration?, underlying: (any Error)? = nil) -> RestClientError {
        let limit = limit.map { " within \($0)" } ?? ""
        return RestClientError(
            .timeout,
            "the call did not end\(limit); allow more with .timeout(_:) or see why the server is slow",
            underlying: underlying
        )
    }
}

// MARK: - Decoding the body of an error

extension RestClientError {
    /// Decodes the body of the server's response; the problem details of RFC 9457 are ``problem`` already.
    ///
    /// The call's dogma decodes it; if that fails, JSON does. `String` is its text, unless it is JSON.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The value, or `nil` if there is no response or its body cannot be decoded.
    public func decodedBody<Body: Decodable>(as type: Body.Type) -> Body? {
        guard let response, !response.body.isEmpty else {
            return nil
        }
        let contentType = response.headers[.contentType]
        if type == String.self, !MediaType.isJSON(contentType) {
            return (try? TextEncoding.text(of: response.body, contentType: contentType)) as? Body
        }
        if let value = try? reader?.decode(type, from: response) {
            return value
        }
        let text = TextEncoding.unicode(response.body, contentType: contentType) ?? response.body
        guard (try? MarkRun.checkKeys(ofJSON: text)) != nil else {
            return nil
        }
        return try? JSONDecoder().decode(type, from: text)
    }

    /// The class of the failure.
    public var failureClass: FailureClass {
        switch code {
        case .hostNotFound, .connectionFailed, .connectionClosed, .proxyFailed, .tlsFailed, .transportClosed,
            .transportFailed, .webSocketClosed:
            return .network
        case .timeout:
            return .timeout
        case .preconditionFailed:
            return .status
        case .loginRequired:
            return .unauthorized
        case .unacceptableStatus:
            switch status {
            case .unauthorized: return .unauthorized
            case .serviceUnavailable: return .serverUnavailable
            default: return .status
            }
        case .tokenRefreshFailed where underlying is UserChange:
            // The next call is sent as the new user.
            return .internal
        case .tokenRefreshFailed:
            // Being offline does not mean that the user is signed out.
            let reason = (underlying as? RestClientError)?.failureClass ?? .unauthorized
            return [.network, .timeout, .serverUnavailable].contains(reason) ? reason : .unauthorized
        default:
            return .internal
        }
    }
}

extension RestClientError: LocalizedError {
    /// The ``message``, which `localizedDescription` returns.
    public var errorDescription: String? { message }
}

protocol BodyReader: Sendable {
    func decode<Body: Decodable>(_ type: Body.Type, from response: RawResponse) throws -> Body
}

/// The reason for a call that is not sent again: its token source has the token of another user now.
struct UserChange: Error {}
