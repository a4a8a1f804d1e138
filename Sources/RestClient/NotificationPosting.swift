// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Posts a manager's events to a notification center while one is set.
final class NotificationPosting: Sendable {
    private struct State {
        var center: NotificationCenter?
        var observation: ObservationToken?
    }

    private let hub: EventHub
    private let state = Mutex(State())

    init(hub: EventHub) {
        self.hub = hub
    }

    /// The notification center to which events are posted; `nil` for none.
    var center: NotificationCenter? {
        state.withLock { $0.center }
    }

    /// Changes the center to which events are posted.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func post(to center: NotificationCenter?, on manager: RestClientManager) {
        let observation = center.map { center in
            hub.observe { [weak manager] event in
                if let manager {
                    center.post(ClientEventMessage(event: event), subject: manager)
                }
                return true
            }
        }
        let previous = state.withLock { state in
            defer { state = State(center: center, observation: observation) }
            return state.observation
        }
        previous?.cancel()
    }
}
