// SPDX-License-Identifier: MIT

/// The reason why an exchange failed, unless it is an error of SwiftNIO about the connection.
package enum WireFault: Error {
    /// The response breaks a rule of HTTP.
    case malformed(ResponseDefect)
    /// The body of the response has more bytes than allowed.
    case bodyOverLimit
    /// The connection was cut before the response was complete.
    case cut
    /// A connection that was kept from an earlier exchange ended before any part of the response came.
    ///
    /// Servers close idle connections, and a request may be on its way just then.
    case stale(underlying: (any Error)?)
    /// The server did not process the request, and says so: it may be sent again, whatever its method.
    case unprocessed
    /// The server ended the exchange by resetting its stream.
    case reset(HTTP2Reason)
    /// The server breaks a rule of HTTP/2, so that its connection was closed.
    case brokenConnection(HTTP2Defect)
    /// The time of the exchange is up.
    case deadlineExceeded
    /// The server does not speak HTTP/2, without which it gets no request.
    case noHTTP2
    /// The connection was not made in time.
    case connectTimeout
    /// The request cannot be written as a message of HTTP; the text says why.
    case invalidRequest(String)
    /// The client was closed.
    case closed
}
