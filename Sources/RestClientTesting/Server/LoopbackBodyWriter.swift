// SPDX-License-Identifier: MIT

/// Writes the pieces of a streamed body.
public struct LoopbackBodyWriter: Sendable {
    private let send: @Sendable ([UInt8]) async throws -> Void

    init(send: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.send = send
    }

    /// Sends bytes at once, as a piece of their own.
    ///
    /// - Parameter bytes: The bytes. No bytes send nothing.
    /// - Throws: An error when the connection is gone, `CancellationError` when the client or the server ended it.
    public func write(_ bytes: [UInt8]) async throws {
        try await send(bytes)
    }

    /// Sends text as UTF-8 at once, as a piece of its own.
    ///
    /// - Parameter text: The text.
    /// - Throws: An error when the connection is gone, `CancellationError` when the client or the server ended it.
    public func write(_ text: String) async throws {
        try await send(Array(text.utf8))
    }
}
