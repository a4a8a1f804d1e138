// SPDX-License-Identifier: MIT

/// A layer between the pipeline and the transport: it observes each exchange, and may respond instead of the transport.
package protocol ExchangeTap: AnyObject, Sendable {
    /// Handles one exchange; `send` sends a request to the next tap, or to the transport.
    func exchange(
        _ request: TransportRequest,
        _ send: @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse
}
