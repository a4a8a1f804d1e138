// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import RestEssentials

/// The error of a request on a kept connection that ended before any part of the response arrived.
///
/// Servers close idle connections, possibly while a request is on its way.
struct StaleConnection: Error {
    /// The error that ended the connection; `nil` if it was closed regularly.
    let underlying: (any Error)?

    /// Returns the cause for sending a request again without involving the caller; `nil` if there is none.
    static func occasion(after error: any Error, isSent: Bool) -> Repetition.Occasion? {
        if !isSent, let error = error as? ChannelError, case .ioOnClosedChannel = error {
            return .notProcessed
        }
        // AsyncHTTPClient gives requests to connections that are closing, which over TLS takes a round trip. It cancels
        // them over HTTP/2, and says over HTTP/1.1 that the server had closed.
        if !isSent, let error = error as? HTTPClientError, [.cancelled, .remoteConnectionClosed].contains(error) {
            return .notProcessed
        }
        return error is StaleConnection ? .staleConnection : nil
    }
}

#endif
