// SPDX-License-Identifier: MIT

import Synchronization

/// Keeps the class of the latest failure of a call or a download, which decides which handler is called, and what
/// identifies the error that mappers made of it.
///
/// It keeps no error: the call's options hold the note, and an error may hold the call, also through the error behind
/// it.
final class FailureNote: Sendable {
    private struct State {
        var failureClass: FailureClass?
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
        let failureClass = cause?.failureClass
        let known = error as? RestClientError
        state.withLock { state in
            state.failureClass = failureClass
            state.error = known.map { ($0.code, $0.message) }
        }
    }

    /// Returns the class of the cause of the error with which the transfer failed; `nil` if it is unknown.
    ///
    /// - Parameter error: The error that the caller gets.
    /// - Returns: The class: that of the last failure, unless the error is not from there.
    func failureClass(of error: any Error) -> FailureClass? {
        let state = state.withLock { $0 }
        guard let error = error as? RestClientError else {
            return state.failureClass
        }
        guard let last = state.error, last.code == error.code, last.message == error.message else {
            return error.failureClass
        }
        return state.failureClass
    }
}

extension CallOptionKey<FailureNote> {
    /// The note of the class of the call's failure.
    static var failureNote: Self { Self("failure note", isInternal: true) { _ in "kept" } }
}
