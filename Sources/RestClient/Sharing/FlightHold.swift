// SPDX-License-Identifier: MIT

import Synchronization

/// Keeps a flight open for newcomers until what must be done once is done, such as storing the result.
///
/// Releasing it twice does nothing, and one that nobody keeps is released.
final class FlightHold: Sendable {
    private let onRelease: Mutex<(@Sendable () -> Void)?>

    init(_ onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = Mutex(onRelease)
    }

    deinit {
        release()
    }

    /// Lets the flight end.
    func release() {
        let action = onRelease.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
