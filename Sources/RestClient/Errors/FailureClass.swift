// SPDX-License-Identifier: MIT

import JobGraphs

/// A coarse classification of failed calls, attempts and jobs, for observers that only need to know where the fault
/// is.
public enum FailureClass: String, Sendable, Hashable, CaseIterable {
    /// The request is invalid, its response cannot be decoded, or code inside the call threw an error.
    case `internal`
    /// The network or the server's host could not be reached.
    case network
    /// The server responded with 503.
    case serverUnavailable
    /// The server responded with 401, or no token could be obtained.
    case unauthorized
    /// The server responded with another status that the request does not accept.
    case status
    /// The call timed out.
    case timeout
    /// The task was cancelled.
    case cancelled

    /// Classifies an error.
    ///
    /// - Parameter error: The error of a call. A `DerivedError` has the class of its origin; other errors of your own
    ///   and of other libraries are ``internal``.
    public init(of error: any Error) {
        switch Self.known(error) {
        case is CancellationError: self = .cancelled
        case let error as RestClientError: self = error.failureClass
        case let error as JobGraphError where error.code == .timeout: self = .timeout
        default: self = .internal
        }
    }

    /// Returns this library's error, or the cancellation, from which an error was derived; otherwise the error itself.
    static func known(_ error: any Error) -> any Error {
        ErrorOrigin.first(RestClientError.self, behind: error)
            ?? ErrorOrigin.first(JobGraphError.self, behind: error)
            ?? ErrorOrigin.first(CancellationError.self, behind: error) ?? error
    }
}
