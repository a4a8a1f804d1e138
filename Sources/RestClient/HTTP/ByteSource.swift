// SPDX-License-Identifier: MIT

package import RestEssentials

/// Where the chunks of a stream come from.
///
/// One task asks for one chunk at a time; any task may cancel.
package protocol ByteSource: AnyObject, Sendable {
    /// Waits for the next chunk, which is not empty; `nil` after the last one.
    ///
    /// - Throws: `CancellationError` after ``cancel()``.
    func next() async throws -> Data?

    /// Ends what the chunks come from; again, or after the end, this does nothing.
    func cancel()
}
