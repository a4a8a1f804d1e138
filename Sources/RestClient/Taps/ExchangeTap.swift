// SPDX-License-Identifier: MIT

/// A layer between the pipeline and the transport: it observes each exchange, and may respond instead of the transport.
package protocol ExchangeTap: AnyObject, Sendable {
    /// Handles one exchange.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - send: Sends a request to the next tap, or to the transport.
    /// - Returns: The response.
    /// - Throws: The error of `send`, or the reason why the tap has no response.
    func exchange(
        _ request: TransportRequest,
        _ send: @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse
}
