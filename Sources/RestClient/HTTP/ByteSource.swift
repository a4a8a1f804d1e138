// SPDX-License-Identifier: MIT

package import RestEssentials

/// The source of a stream's chunks.
///
/// One task asks for one chunk at a time; any task may cancel.
package protocol ByteSource: AnyObject, Sendable {
    /// Waits for the next chunk, which is not empty; `nil` at the end.
    ///
    /// - Throws: `CancellationError` after ``cancel()``.
    func next() async throws -> Data?

    /// Cancels the source; calling it again, or after the end, does nothing.
    func cancel()
}
