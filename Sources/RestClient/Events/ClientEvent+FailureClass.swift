// SPDX-License-Identifier: MIT

extension ClientEvent {
    /// The class of the failure that the event reports; `nil` if it reports none.
    public var failureClass: FailureClass? {
        switch kind {
        case .callFailed(let error), .attemptFailed(_, let error), .localJobFailed(_, let error):
            // A call is classified by its original error, even if a handler replaced it.
            FailureClass(of: cause ?? error)
        case .callCancelled, .localJobCancelled: .cancelled
        default: nil
        }
    }
}
