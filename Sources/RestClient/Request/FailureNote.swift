// SPDX-License-Identifier: MIT

import Synchronization

/// Keeps the latest failure of a call or a download: the error of this library, which decides which handler is called,
/// and what identifies the error that mappers made of it.
final class FailureNote: Sendable {
    private struct State {
        var cause: RestClientError?
        /// The code and the message of the error that mappers made of the cause; `nil` for an error of the user's own.
        var error: (code: RestClientError.Code, message: String)?
    }

    private let state = Mutex(State())

    /// Records a failure.
    ///
    /// - Parameters:
    ///   - cause: The error before mappers change it; `nil` if it is not of this library.
    ///   - error: The error that mappers made of it.
    func record(_ cause: RestClientError?, as error: any Error) {
        // The call's options hold the note, and these two hold the call. An error of the user's own may hold them, too.
        var cause = cause
        cause?.storyteller = nil
        cause?.reader = nil
        let known = error as? RestClientError
        state.withLock { [cause] state in
            state.cause = cause
            state.error = known.map { ($0.code, $0.message) }
        }
    }

    /// Returns the cause of the error with which the transfer failed; `nil` if it is unknown.
    ///
    /// - Parameter error: The error that the caller gets.
    /// - Returns: The cause: that of the last failure, unless the error is not from there.
    func cause(of error: any Error) -> RestClientError? {
        let state = state.withLock { $0 }
        guard let error = error as? RestClientError else {
            return state.cause
        }
        guard let last = state.error, last.code == error.code, last.message == error.message else {
            return error
        }
        return state.cause
    }
}

extension CallOptionKey<FailureNote> {
    /// The note of the cause of the call's failure.
    static var failureNote: Self { Self("failure note", isInternal: true) { _ in "kept" } }
}
