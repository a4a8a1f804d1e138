// SPDX-License-Identifier: MIT

import RestClient
import Synchronization

/// Responds to no request before so many of them are under way.
final class HeldTransport: Transport {
    private struct State {
        var waiters: [CheckedContinuation<Void, Never>] = []
        var count: Int
    }

    private let state: Mutex<State>
    /// Called once all requests are under way, before any has its response.
    private let allAreHeld: @Sendable () -> Void

    init(_ count: Int, allAreHeld: @escaping @Sendable () -> Void) {
        state = Mutex(State(count: count))
        self.allAreHeld = allAreHeld
    }

    /// Waits until the last one has come.
    func hold() async {
        await withCheckedContinuation { continuation in
            let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
                state.waiters.append(continuation)
                state.count -= 1
                return state.count == 0 ? state.waiters : nil
            }
            if let waiters {
                allAreHeld()
                for waiter in waiters {
                    waiter.resume()
                }
            }
        }
    }

    func send(_ request: TransportRequest) async throws -> RawResponse {
        await hold()
        return RawResponse()
    }
}
