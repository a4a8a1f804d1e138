// SPDX-License-Identifier: MIT

import Synchronization

/// The configuration of the shared manager, until it is created.
final class SharedConfiguration: Sendable {
    private enum State {
        case unset
        case set(RestClientManager.Configuration)
        case taken
    }

    private let state = Mutex(State.unset)

    /// Sets the configuration.
    ///
    /// - Throws: ``RestClientError`` if the manager already exists.
    func set(_ configuration: RestClientManager.Configuration) throws(RestClientError) {
        let isTaken = state.withLock { state in
            if case .taken = state {
                return true
            }
            state = .set(configuration)
            return false
        }
        if isTaken {
            throw RestClientError(
                .sharedManagerInUse,
                "RestClientManager.shared is already in use; configure it earlier, or create a manager of your own"
            )
        }
    }

    /// Returns the configuration for the manager, which is about to be created.
    func take() -> RestClientManager.Configuration {
        state.withLock { state in
            defer { state = .taken }
            if case .set(let configuration) = state {
                return configuration
            }
            return RestClientManager.Configuration()
        }
    }
}
