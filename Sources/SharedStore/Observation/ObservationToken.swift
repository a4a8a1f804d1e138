// SPDX-License-Identifier: MIT

import RestEssentials

/// Keeps an observation alive until the token is cancelled or released.
public final class ObservationToken: Sendable {
    private let end: ReleaseOnce

    /// `end` is called once.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = ReleaseOnce(end)
    }

    /// Ends the observation; calling it again does nothing.
    ///
    /// From then on the observer receives nothing. A call that is in progress on another task may still finish.
    public func cancel() {
        end.release()
    }
}
