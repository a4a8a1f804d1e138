// SPDX-License-Identifier: MIT

/// An event of a server, with the numbers of its connections and requests from 1.
package enum LoopbackEvent: Hashable, Sendable {
    /// A client connected.
    case connectionOpened(connection: Int)
    /// A connection was closed, by the client or the server.
    case connectionClosed(connection: Int)
    /// A connection failed before or between requests: in a TLS handshake, or because of malformed input.
    case connectionFailed(connection: Int, reason: String)
    /// A request's head arrived.
    case requestStarted(request: Int)
    /// A complete request arrived and goes to its handler.
    case requestReceived(request: Int)
    /// The complete response was written to the socket.
    case responded(request: Int)
    /// The client closed the connection or cancelled the stream before the end of the response.
    case aborted(request: Int)
    /// The server ended the connection or the stream before the end of the response, as the test required.
    case cutOff(request: Int)
    /// The handler threw an error. The client got a 500, or a response that was cut off.
    case handlerFailed(request: Int, reason: String)
}
