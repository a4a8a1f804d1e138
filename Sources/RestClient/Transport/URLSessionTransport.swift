// SPDX-License-Identifier: MIT

#if canImport(Darwin) || URLSessionTransport
import HTTPTypes

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
import JobGraphs
#endif

/// HTTP over the system's `URLSession`: for Apple platforms, where it follows the system's proxies and policies.
///
/// On Linux it exists only with the package trait `URLSessionTransport`, because it links FoundationNetworking; use it
/// there only for comparisons. It is several times slower than ``DirectTransport``, joins header lines with
/// the same name, and distinguishes most failures of an exchange only by their wording. It also ends the process inside
/// Foundation when a chunked response has trailer fields or when a connection is closed in the middle of a response's
/// head.
///
/// It does not check pinned keys (``CallConfigurable/pinnedKeys(_:of:)``): calls with pins are refused.
///
/// The session's own cache, cookies and credentials are disabled; the library handles redirects.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let dispatcher = URLSessionDispatcher()

    /// The session's own time limit, which starts at the last byte; long, because a request's limit starts at its
    /// beginning.
    private static let longestIdleTime: Double = 7 * 86_400

    /// Creates a transport.
    ///
    /// - Parameter configuration: The session's configuration; cache, cookies and credential storage are disabled in a
    ///   copy of it.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        let settings = (configuration.copy() as? URLSessionConfiguration) ?? .ephemeral
        settings.urlCache = nil
        settings.httpCookieStorage = nil
        settings.urlCredentialStorage = nil
        settings.httpShouldSetCookies = false
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: settings, delegate: dispatcher, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Sends a request and waits for the complete response.
    public func send(_ request: TransportRequest) async throws -> RawResponse {
        try Task.checkCancellation()
        try Self.checkWay(of: request)
        let request = try await Self.collected(request)
        guard let timeout = request.timeout else {
            return try await exchange(request)
        }
        return try await withThrowingTaskGroup(of: RawResponse.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.exchange(request) }
            group.addTask {
                let clock = ContinuousClock()
                try await clock.sleep(for: max(.zero, min(timeout, .seconds(Self.longestIdleTime))))
                throw RestClientError(.timeout, "\(TransportFailure.host(of: request.url)) did not respond in time")
            }
            guard let response = try await group.next() else {
                throw CancellationError()
            }
            return response
        }
    }

    /// Refuses a request whose way a level chose: the session goes that of the system.
    private static func checkWay(of request: TransportRequest) throws(RestClientError) {
        guard request.way?.isDemanded != true else {
            throw RestClientError(
                .transportFailed,
                "URLSessionTransport follows the system's proxies, and neither .proxy(_:) nor .reached(at:); use "
                    + "DirectTransport"
            )
        }
    }

    /// Returns a request with its body in memory, because the session does not report the failures of any other body.
    private static func collected(_ request: TransportRequest) async throws -> TransportRequest {
        guard let body = request.body else {
            return request
        }
        guard let bytes = try await body.collected() else {
            throw RestClientError(
                .bodyNotSupported,
                "URLSessionTransport sends bodies of at most \(RequestBody.collectingLimit) bytes, and this is \(body); "
                    + "use DirectTransport"
            )
        }
        var request = request
        request.body = .bytes(try body.codings.coded(bytes))
        return request
    }

    private func exchange(_ request: TransportRequest) async throws -> RawResponse {
        let task = session.dataTask(with: try Self.message(for: request))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                dispatcher.start(task, URLSessionCollector(limit: request.responseLimit, continuation: continuation))
            }
        } onCancel: {
            dispatcher.cancel(task)
        }
    }

    private static func message(for request: TransportRequest) throws(RestClientError) -> URLRequest {
        guard let url = URL(string: request.url) else {
            throw RestClientError(.invalidURL, "'\(Redaction.url(request.url))' is not a valid request URL")
        }
        // What was decided about the request was decided about the text as it is written.
        guard url.absoluteString == request.url else {
            throw RestClientError(
                .invalidURL,
                "URLSession would send '\(Redaction.url(request.url))' in another form; percent-encode its characters, or use "
                    + "DirectTransport"
            )
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method.rawValue
        message.httpBody = request.body?.bytes
        message.timeoutInterval = longestIdleTime
        for field in request.headers {
            message.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        return message
    }
}
#endif
