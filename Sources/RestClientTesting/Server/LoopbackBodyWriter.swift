// SPDX-License-Identifier: MIT

/// Writes the chunks of a streamed body.
public struct LoopbackBodyWriter: Sendable {
    private let send: @Sendable ([UInt8]) async throws -> Void

    init(send: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.send = send
    }

    /// Sends bytes as a chunk.
    ///
    /// - Parameter bytes: The bytes. Nothing is sent if there are none.
    /// - Throws: An error if the connection is closed, or `CancellationError` if the client or the server ended it.
    public func write(_ bytes: [UInt8]) async throws {
        try await send(bytes)
    }

    /// Sends UTF-8 text as a chunk.
    ///
    /// - Parameter text: The text.
    /// - Throws: An error if the connection is closed, or `CancellationError` if the client or the server ended it.
    public func write(_ text: String) async throws {
        try await send(Array(text.utf8))
    }
}
