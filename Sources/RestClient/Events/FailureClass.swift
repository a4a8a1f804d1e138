// SPDX-License-Identifier: MIT

/// What kind of end a call, an attempt or a job came to, in a few classes: for observers that only need to know whom to blame.
public enum FailureClass: String, Sendable, Hashable, CaseIterable {
    /// The request is wrong, its response cannot be understood, or code inside the call threw.
    case `internal`
    /// The network or the server's host could not be reached.
    case network
    /// The server answered 503.
    case serverUnavailable
    /// The server answered 401, or no token could be had.
    case unauthorized
    /// The server answered with another status that the request does not accept.
    case status
    /// The call did not end in time.
    case timeout
    /// The task was cancelled.
    case cancelled

    /// The class of an error.
    ///
    /// - Parameter error: What a call threw; an error that is not of this library counts as ``internal``.
    public init(of error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case let error as RestClientError: self.init(error.category)
        default: self = .internal
        }
    }

    private init(_ category: RestClientError.Category) {
        switch category {
        case .request: self = .internal
        case .network: self = .network
        case .timeout: self = .timeout
        case .unauthorized: self = .unauthorized
        case .serverUnavailable: self = .serverUnavailable
        case .status: self = .status
        }
    }
}

extension ClientEvent {
    /// The class of the failure that the event tells of; `nil` when it tells of none.
    public var failureClass: FailureClass? {
        switch kind {
        case .callFailed(let error), .attemptFailed(_, let error), .localJobFailed(_, let error):
            FailureClass(of: error)
        case .callCancelled, .localJobCancelled: .cancelled
        default: nil
        }
    }
}
