// SPDX-License-Identifier: MIT

import Synchronization

/// Keeps the latest failure of a transfer's requests: the error of this library, which decides which handler is called,
/// and what mappers made of it.
final class FailureNote: Sendable {
    private struct State {
        var cause: RestClientError?
        var error: (any Error)?
        /// The error of the transfer, before the node's mappers change it.
        var original: (any Error)?
    }

    private let state = Mutex(State())

    /// Records the failure of a request.
    ///
    /// - Parameters:
    ///   - cause: The error.
    ///   - error: The error that mappers made of it.
    func record(_ cause: RestClientError, as error: any Error) {
        state.withLock { state in
            state.cause = cause
            state.error = error
        }
    }

    /// Records the error of the whole transfer, before the node's mappers change it.
    func record(original error: any Error) {
        state.withLock { $0.original = error }
    }

    /// Returns the cause of the error with which the transfer failed; `nil` if it is unknown.
    ///
    /// - Parameter error: The error that the caller gets.
    /// - Returns: The cause: that of the last failed request, unless the error is not from there.
    func cause(of error: any Error) -> RestClientError? {
        let state = state.withLock { $0 }
        guard let error = (state.original ?? error) as? RestClientError else {
            return state.cause
        }
        guard let last = state.error as? RestClientError, last.code == error.code, last.message == error.message else {
            return error
        }
        return state.cause
    }
}

extension CallOptionKey<FailureNote> {
    /// The note of the cause of the call's failure.
    static var failureNote: Self { Self("failure note") { _ in "kept" } }
}
