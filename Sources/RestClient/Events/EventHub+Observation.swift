// SPDX-License-Identifier: MIT

import SharedStore

extension EventHub {
    /// Begins an observation, which ends when its token is cancelled or released.
    ///
    /// - Parameters:
    ///   - filter: The filter that events must pass.
    ///   - onEnd: Called if the hub ends before the observation does.
    ///   - onCancel: Called when the observation is cancelled.
    ///   - handler: Receives the events; returns `false` to end the observation.
    /// - Returns: The token, which does not keep the hub alive.
    func observe(
        _ filter: EventFilter = .all,
        onEnd: @escaping @Sendable () -> Void = {},
        onCancel: @escaping @Sendable () -> Void = {},
        handler: @escaping Handler
    ) -> ObservationToken {
        let observer = add(filter, onEnd: onEnd, handler: handler)
        return ObservationToken { [weak self] in
            observer.deactivate()
            self?.remove(observer)
            onCancel()
        }
    }
}
