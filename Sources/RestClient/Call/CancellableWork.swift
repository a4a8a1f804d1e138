// SPDX-License-Identifier: MIT

/// Work that can be cancelled at any moment, also when it has ended.
package protocol CancellableWork: Sendable {
    /// Cancels the work; without effect if it has ended.
    func cancel()
}

extension Task: CancellableWork {}

extension WatchedSource: CancellableWork {}
