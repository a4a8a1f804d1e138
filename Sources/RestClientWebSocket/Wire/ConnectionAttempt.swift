// SPDX-License-Identifier: MIT

import NIOCore
import Synchronization

/// The channels that are tried for one connection, so that cancelling closes them.
///
/// There may be one for each address of a host. Any of them may be the first one to be connected.
final class ConnectionAttempt: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Takes a channel that is about to be connected; after ``cancel()``, closes it.
    func begin(_ channel: any Channel) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled {
                state.channels.append(channel)
            }
            return state.isCancelled
        }
        if isCancelled {
            channel.close(promise: nil)
        }
    }

    /// Closes all channels, and those that are still to come.
    func cancel() {
        let channels = state.withLock { state in
            state.isCancelled = true
            defer { state.channels = [] }
            return state.channels
        }
        for channel in channels {
            channel.close(promise: nil)
        }
    }
}
