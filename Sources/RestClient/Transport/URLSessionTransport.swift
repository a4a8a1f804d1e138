// SPDX-License-Identifier: MIT

#if canImport(Darwin) || URLSessionTransport
import HTTPTypes

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// HTTP over the system's `URLSession`: for Apple platforms, where it follows the system's proxies and policies.
///
/// On Linux it is there only with the package trait `URLSessionTransport`, because it links FoundationNetworking. There it
/// is several times slower than ``AsyncHTTPClientTransport``, and an answer in chunks with trailer fields ends the process
/// inside Foundation; use it on Linux only to compare.
///
/// The session's own cache, cookies and credentials are switched off; redirects are left to the library.
public final class URLSessionTransport: Transport {
    private let session: URLSession

    /// Creates a transport.
    ///
    /// - Parameter configuration: The session's configuration; cache, cookies and credential storage are switched off in a
    ///   copy of it.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        let settings = (configuration.copy() as? URLSessionConfiguration) ?? .ephemeral
        settings.urlCache = nil
        settings.httpCookieStorage = nil
        settings.urlCredentialStorage = nil
        settings.httpShouldSetCookies = false
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: settings)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameter request: What to put on the wire.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``RestClientError``, or `CancellationError` when the task is cancelled.
    public func send(_ request: TransportRequest) async throws -> RawResponse {
        let message = try Self.message(for: request)
        let delegate = URLSessionCollector(limit: request.responseLimit)
        let task = session.dataTask(with: message)
        task.delegate = delegate
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                delegate.start(task, continuation: continuation)
            }
        } onCancel: {
            task.cancel()
        }
    }

    private static func message(for request: TransportRequest) throws(RestClientError) -> URLRequest {
        guard let url = URL(string: request.url) else {
            throw RestClientError(.invalidURL, "'\(Redaction.url(request.url))' is no URL to send to")
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method.rawValue
        message.httpBody = request.body
        if let timeout = request.timeout {
            message.timeoutInterval = timeout / .seconds(1)
        }
        for field in request.headers {
            message.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        return message
    }
}
#endif
