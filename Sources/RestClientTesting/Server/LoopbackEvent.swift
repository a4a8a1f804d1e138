// SPDX-License-Identifier: MIT

/// What happened at a server, in the order in which it happened.
///
/// Connections and requests bear the numbers that ``LoopbackRequest`` has, each counted from 1.
public enum LoopbackEvent: Hashable, Sendable {
    /// A client connected.
    case connectionOpened(connection: Int)
    /// A connection is gone, whoever ended it.
    case connectionClosed(connection: Int)
    /// A connection failed before or between requests: a TLS handshake, or bytes that are no HTTP.
    case connectionFailed(connection: Int, reason: String)
    /// A request's head arrived.
    case requestStarted(request: Int)
    /// A request arrived whole and goes to its handler.
    case requestReceived(request: Int)
    /// The response has been handed to the socket, to its end.
    case answered(request: Int)
    /// The client closed the connection or cancelled the stream before the response's end.
    case aborted(request: Int)
    /// The server ended the connection or the stream before the response's end, as the test wanted it.
    case cutOff(request: Int)
    /// The handler threw an error; the client got a 500, or a response that was cut off.
    case handlerFailed(request: Int, reason: String)
}
