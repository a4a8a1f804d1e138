// SPDX-License-Identifier: MIT

import RestEssentials

/// Keeps an observation alive until the token is cancelled or released.
public final class ObservationToken: Sendable {
    private let end: ReleaseOnce

    init(end: @escaping @Sendable () -> Void) {
        self.end = ReleaseOnce(end)
    }

    /// Ends the observation.
    ///
    /// A call that is under way on another thread may still finish.
    public func cancel() {
        end.release()
    }
}
