// SPDX-License-Identifier: MIT

#if canImport(Darwin) || URLSessionTransport
import Foundation
import HTTPTypes
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Collects an answer as the session hands it over, and ends the exchange when its body exceeds the limit.
final class URLSessionCollector: NSObject, URLSessionDataDelegate {
    private struct State {
        var continuation: CheckedContinuation<RawResponse, any Error>?
        var head: HTTPURLResponse?
        var body = Data()
        var failure: RestClientError?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Starts a task whose end resumes the continuation.
    func start(_ task: URLSessionDataTask, continuation: CheckedContinuation<RawResponse, any Error>) {
        state.withLock { $0.continuation = continuation }
        task.resume()
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
        state.withLock { $0.head = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isOverLimit = state.withLock { state in
            guard state.body.count + data.count <= limit else {
                state.failure = TransportFailure.bodyOverLimit(limit)
                return true
            }
            state.body.append(data)
            return false
        }
        if isOverLimit {
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let url = task.originalRequest?.url?.absoluteString ?? ""
        let (continuation, result) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, Self.result(state, error, url))
        }
        continuation?.resume(with: result)
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
            return .failure(RestClientError(.malformedResponse, "the answer has no valid status"))
        }
        var headers: HTTPFields = [:]
        for (name, value) in head.allHeaderFields {
            if let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String {
                headers.append(HTTPField(name: name, value: value))
            }
        }
        return .success(
            RawResponse(status: HTTPResponse.Status(code: head.statusCode), headers: headers, body: state.body)
        )
    }

    private static func error(for error: any Error, url: String) -> any Error {
        let host = URLReference(url).authority ?? "the server"
        guard let error = error as? URLError else {
            return RestClientError(.transportFailed, "the exchange with \(host) failed", underlying: error)
        }
        switch error.code {
        case .cancelled:
            return CancellationError()
        case .timedOut:
            return RestClientError(.timeout, "\(host) did not answer in time", underlying: error)
        case .cannotFindHost, .dnsLookupFailed:
            return RestClientError(.hostNotFound, "the host name '\(host)' does not resolve", underlying: error)
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed:
            return RestClientError(.connectionFailed, "no connection to \(host) could be made", underlying: error)
        case .networkConnectionLost:
            return RestClientError(.connectionClosed, "\(host) cut the connection", underlying: error)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
            return RestClientError(.malformedResponse, "the answer of \(host) is not HTTP", underlying: error)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            return RestClientError(.tlsFailed, "TLS with \(host) failed", underlying: error)
        case .badURL, .unsupportedURL:
            return RestClientError(.invalidURL, "'\(Redaction.url(url))' is no URL to send to", underlying: error)
        default:
            return RestClientError(.transportFailed, "the exchange with \(host) failed", underlying: error)
        }
    }
}
#endif
