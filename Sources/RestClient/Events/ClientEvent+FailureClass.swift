// SPDX-License-Identifier: MIT

extension ClientEvent {
    /// The class of the failure that the event reports; `nil` if it reports none.
    public var failureClass: FailureClass? {
        switch kind {
        case .callFailed(let error), .attemptFailed(_, let error), .localJobFailed(_, let error):
            // A call is classed by what happened, whatever its error was turned into.
            FailureClass(of: cause ?? error)
        case .callCancelled, .localJobCancelled: .cancelled
        default: nil
        }
    }
}
