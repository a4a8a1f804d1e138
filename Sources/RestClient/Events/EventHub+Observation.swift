// SPDX-License-Identifier: MIT

import SharedStore

extension EventHub {
    /// Begins an observation, which ends when its token is cancelled or released; the token does not keep the hub
    /// alive.
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
