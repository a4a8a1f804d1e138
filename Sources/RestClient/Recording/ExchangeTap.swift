// SPDX-License-Identifier: MIT

/// Stands between the pipeline and the transport: sees each exchange, and may answer in the transport's place.
protocol ExchangeTap: AnyObject, Sendable {
    /// Handles one exchange.
    ///
    /// - Parameters:
    ///   - request: What is to be put on the wire.
    ///   - send: Puts it there.
    /// - Returns: The response.
    /// - Throws: What `send` throws, or why the tap has no response.
    func exchange(
        _ request: TransportRequest,
        _ send: @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse
}
