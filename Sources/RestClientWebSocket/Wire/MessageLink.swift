// SPDX-License-Identifier: MIT

package import RestClient
package import RestEssentials

/// A connection that carries messages, over a socket or to a dummy.
///
/// It is the stream of the response that agrees to it: dropping that response cancels it.
package protocol MessageLink: ByteSource {
    /// The end of the connection; `nil` as long as it is open.
    var closure: WebSocketClosure? { get }

    /// Waits for the next message; `nil` after a regular end.
    ///
    /// - Throws: ``/RestClient/RestClientError`` after any other end, `CancellationError` after ``cancel()``.
    func receive() async throws -> WebSocketMessage?

    /// Sends a message; returns once it was passed to the system.
    func send(_ message: WebSocketMessage) async throws

    /// Sends a ping, and waits for its pong.
    func ping() async throws

    /// Closes the connection, and waits for the server's close for as long as the options say.
    func close(_ code: WebSocketCloseCode, reason: String) async
}

extension MessageLink {
    /// Messages are not bytes of a body.
    package func next() async throws -> Data? { nil }
}
