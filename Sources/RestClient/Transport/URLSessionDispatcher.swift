// SPDX-License-Identifier: MIT

#if canImport(Darwin) || URLSessionTransport
import Foundation
import HTTPTypes
import RestEssentials
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class URLSessionCollector: Sendable {
    private struct State {
        var head: HTTPURLResponse?
        var body = Data()
        var failure: RestClientError?
    }

    private let limit: Int
    private let continuation: CheckedContinuation<RawResponse, any Error>
    private let state = Mutex(State())

    init(limit: Int, continuation: CheckedContinuation<RawResponse, any Error>) {
        self.limit = limit
        self.continuation = continuation
    }

    func receive(_ response: URLResponse) {
        state.withLock { $0.head = response as? HTTPURLResponse }
    }

    /// Adds a part of the body; returns true if more is allowed.
    func receive(_ data: Data) -> Bool {
        state.withLock { state in
            guard data.count <= limit - state.body.count else {
                state.failure = TransportFailure.bodyOverLimit(limit)
                return false
            }
            state.body.append(data)
            return true
        }
    }

    func finish(_ error: (any Error)?, url: String) {
        continuation.resume(with: state.withLock { Self.result($0, error, url) })
    }

    private static func result(
        _ state: State,
        _ error: (any Error)?,
        _ url: String
    ) -> Result<RawResponse, any Error> {
        if let failure = state.failure {
            return .failure(failure)
        }
        if let error {
            return .failure(self.error(for: error, url: url))
        }
        guard let head = state.head, (100..<1_000).contains(head.statusCode) else {
            return .failure(RestClientError(.malformedResponse, "the response has no valid status"))
        }
        var headers: HTTPFields = [:]
        for (name, value) in head.allHeaderFields {
            if let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String,
                !MarkRun.isExcessive(value)
            {
                headers.append(HTTPField(name: name, value: value))
            }
        }
        return .success(
            RawResponse(status: HTTPResponse.Status(code: head.statusCode), headers: headers, body: state.body)
        )
    }

    private static func error(for error: any Error, url: String) -> any Error {
        let host = TransportFailure.host(of: url)
        guard let error = error as? URLError else {
            return TransportFailure.unnamed(error, host: host)
        }
        func failure(_ code: RestClientError.Code, _ message: String) -> RestClientError {
            RestClientError(code, message, underlying: error)
        }
        switch error.code {
        case .cancelled:
            return CancellationError()
        case .timedOut:
            return failure(.timeout, "\(host) did not respond in time")
        case .cannotFindHost, .dnsLookupFailed:
            return failure(.hostNotFound, "the host name '\(host)' does not resolve")
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed:
            return TransportFailure.notConnected(host, underlying: error)
        case .networkConnectionLost:
            return failure(.connectionClosed, "\(host) cut the connection")
        // On Linux the last one is the error for a response that libcurl cannot parse.
        case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData,
            .unsupportedURL where (try? HTTPURL(url)) != nil:
            return failure(.malformedResponse, "the response of \(host) is not valid HTTP")
        // On Linux TLS has no error code of its own, only libcurl's message.
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired,
            .unknown where ["SSL", "certificate"].contains { error.localizedDescription.contains($0) }:
            return failure(.tlsFailed, "TLS with \(host) failed")
        case .badURL, .unsupportedURL:
            return failure(.invalidURL, "'\(Redaction.url(url))' is not a valid request URL")
        default:
            return TransportFailure.unnamed(error, host: host)
        }
    }
}

/// Passes the delegate calls of a session to the collectors of its tasks.
///
/// It is the session's delegate, because on Linux a session without one does not call the delegates of its tasks.
final class URLSessionDispatcher: NSObject, URLSessionDataDelegate {
    private let collectors = Mutex<[Int: URLSessionCollector]>([:])

    /// Starts a task and reports its end to a collector; called in the task that ``cancel(_:)`` is called for.
    func start(_ task: URLSessionDataTask, _ collector: URLSessionCollector) {
        collectors.withLock { $0[task.taskIdentifier] = collector }
        task.resume()
        // A cancellation that came before the collector found nothing to cancel.
        if Task.isCancelled {
            task.cancel()
        }
    }

    /// Cancels a task if its end will be reported to a collector: before, its end would be lost.
    func cancel(_ task: URLSessionDataTask) {
        if collector(of: task) != nil {
            task.cancel()
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        collector(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if collector(of: dataTask)?.receive(data) == false {
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let collector = collectors.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        collector?.finish(error, url: task.originalRequest?.url?.absoluteString ?? "")
    }

    private func collector(of task: URLSessionTask) -> URLSessionCollector? {
        collectors.withLock { $0[task.taskIdentifier] }
    }
}
#endif
