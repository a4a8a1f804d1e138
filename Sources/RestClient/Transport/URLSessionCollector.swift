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
        let host = (try? HTTPURL(url))?.authority ?? "the server"
        guard let error = error as? URLError else {
            return RestClientError(.transportFailed, "the exchange with \(host) failed", underlying: error)
        }
        switch error.code {
        case .cancelled:
            return CancellationError()
        case .timedOut:
            return RestClientError(.timeout, "\(host) did not respond in time", underlying: error)
        case .cannotFindHost, .dnsLookupFailed:
            return RestClientError(.hostNotFound, "the host name '\(host)' does not resolve", underlying: error)
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed:
            return RestClientError(.connectionFailed, "no connection to \(host) could be made", underlying: error)
        case .networkConnectionLost:
            return RestClientError(.connectionClosed, "\(host) cut the connection", underlying: error)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
            return RestClientError(.malformedResponse, "the response of \(host) is not valid HTTP", underlying: error)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            return RestClientError(.tlsFailed, "TLS with \(host) failed", underlying: error)
        case .unsupportedURL where (try? HTTPURL(url)) != nil:
            // On Linux this is the error for a response that libcurl cannot parse.
            return RestClientError(.malformedResponse, "the response of \(host) is not valid HTTP", underlying: error)
        case .badURL, .unsupportedURL:
            return RestClientError(.invalidURL, "'\(Redaction.url(url))' is not a valid request URL", underlying: error)
        case .unknown where ["SSL", "certificate"].contains { error.localizedDescription.contains($0) }:
            // On Linux TLS has no error code of its own, only libcurl's message.
            return RestClientError(.tlsFailed, "TLS with \(host) failed", underlying: error)
        default:
            return RestClientError(.transportFailed, "the exchange with \(host) failed", underlying: error)
        }
    }
}
#endif
