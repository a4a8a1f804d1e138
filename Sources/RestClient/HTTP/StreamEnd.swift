// SPDX-License-Identifier: MIT

package enum StreamEnd: Sendable {
    case complete
    case failed(any Error)
    /// The consumer stopped, or its task was cancelled.
    case cancelled
}
