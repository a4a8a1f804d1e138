// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOHTTP2
import RestEssentials

extension TransportFailure {
    static func errorOfOtherTransport(_ error: any Error, host: String, url: String) -> RestClientError? {
        switch error {
        case let error as HTTPClientError:
            self.error(for: error, host: host, url: url)
        case let error as StaleConnection:
            RestClientError(
                .connectionClosed,
                "\(host) cut the connection before it responded",
                underlying: error.underlying ?? HTTPClientError.remoteConnectionClosed
            )
        case let error as UnguardedConnection:
            unguarded(error, host: host)
        case is HTTP2Required:
            RestClientError(
                .connectionFailed,
                "\(host) does not offer HTTP/2, which the transport requires; see requiresHTTP2 of its configuration"
            )
        case let error as NIOHTTP2Errors.StreamError:
            self.error(for: error.baseError, url: url)
        case is NIOHTTP2Errors.StreamClosed, is NIOHTTP2Errors.IOOnClosedConnection:
            connectionCut(host, underlying: error)
        case is any NIOHTTP2Error:
            RestClientError(
                .malformedResponse,
                "the response of \(host) is not valid HTTP/2",
                underlying: error
            )
        default:
            nil
        }
    }

    static func otherTransportPrecedesSending(_ error: any Error) -> Bool {
        let early: [HTTPClientError] = [
            .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout,
            .socksHandshakeTimeout,
        ]
        return (error as? HTTPClientError).map { early.contains($0) } ?? false
    }

    /// Returns the error of a request that can be sent in no other way.
    ///
    /// Its underlying error remains the one by which ``DirectTransport`` knows that nothing was sent.
    private static func unguarded(_ error: UnguardedConnection, host: String) -> RestClientError {
        let remedy =
            switch error.version {
            case .http1: "use DirectTransport, which can do without, except for CONNECT and Upgrade"
            case .http2: "do not require HTTP/2"
            }
        return RestClientError(
            .transportFailed,
            "connections of \(error.version.rawValue) to \(host) cannot be guarded against malformed responses, because "
                + "this version of async-http-client builds them differently; \(remedy), or use a version that this "
                + "library was tested with",
            underlying: error
        )
    }

    private static func error(for error: HTTPClientError, host: String, url: String) -> RestClientError {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout:
            notConnectedInTime(host, underlying: error)
        case .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout,
            .socksHandshakeTimeout:
            RestClientError(.timeout, "\(host) did not respond in time", underlying: error)
        case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled, .cancelled:
            RestClientError(.connectionClosed, "\(host) cut the connection", underlying: error)
        case .alreadyShutdown:
            RestClientError(.transportClosed, "the transport was shut down", underlying: error)
        case .invalidURL, .emptyHost, .emptyScheme:
            invalidURL(url, underlying: error)
        default:
            // An unsupported scheme has no case to compare with, because the case contains the scheme.
            (try? HTTPURL(url)) != nil ? unnamed(error, host: host) : invalidURL(url, underlying: error)
        }
    }

    private static func invalidURL(_ url: String, underlying: any Error) -> RestClientError {
        RestClientError(.invalidURL, "'\(Redaction.url(url))' is not a valid request URL", underlying: underlying)
    }
}

#endif
