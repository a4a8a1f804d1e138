// SPDX-License-Identifier: MIT

/// The end of a stream.
package enum StreamEnd: Sendable {
    /// The last chunk was taken.
    case complete
    /// The stream failed.
    case failed(any Error)
    /// The consumer stopped, or its task was cancelled.
    case cancelled
}
