// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore

/// The error of a request on a kept connection that ended before any part of the response arrived.
///
/// Servers close idle connections, possibly while a request is on its way.
struct StaleConnection: Error {
    /// The error that ended the connection; `nil` if it was closed regularly.
    let underlying: (any Error)?

    /// Returns true if a request may be sent again without involving the caller (RFC 9110, section 9.2.2).
    ///
    /// - Parameters:
    ///   - error: The error of the exchange.
    ///   - isSent: True if the head of the request was passed to the connection; if not, the connection had ended
    ///     before.
    ///   - isIdempotent: True if the request's method is idempotent.
    /// - Returns: True if it may be sent again.
    static func allowsRepetition(after error: any Error, isSent: Bool, isIdempotent: Bool) -> Bool {
        if !isSent, let error = error as? ChannelError, case .ioOnClosedChannel = error {
            return true
        }
        // AsyncHTTPClient gives requests to connections that are closing, which over TLS takes a round trip. It cancels
        // them over HTTP/2, and says over HTTP/1.1 that the server had closed.
        if !isSent, let error = error as? HTTPClientError, [.cancelled, .remoteConnectionClosed].contains(error) {
            return true
        }
        return isIdempotent && error is StaleConnection
    }
}

#endif
