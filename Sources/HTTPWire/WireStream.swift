// SPDX-License-Identifier: MIT

/// The body of a request that is produced while it is sent.
package struct WireStream: Sendable {
    /// The number of bytes; `nil` if it is not known, so that they are sent in chunks.
    let length: Int64?
    /// Starts the task that produces the body; it is cancelled when the exchange ends.
    let start: @Sendable (WireUpload) -> Task<Void, Never>

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - length: The number of bytes; `nil` if it is not known.
    ///   - start: Starts a task that writes each chunk and then reports the end; called for each exchange once its body
    ///     is wanted, and not at all if it never is.
    package init(length: Int64?, start: @escaping @Sendable (WireUpload) -> Task<Void, Never>) {
        self.length = length
        self.start = start
    }
}
