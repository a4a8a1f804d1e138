// SPDX-License-Identifier: MIT
import Synchronization

/// Keeps an observation alive: it ends when the token is cancelled or released.
public final class ObservationToken: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    init(end: @escaping @Sendable () -> Void) {
        self.end = Mutex(end)
    }

    deinit {
        cancel()
    }

    /// Ends the observation; a call that is under way on another thread may still finish.
    public func cancel() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
