// SPDX-License-Identifier: MIT

import JobGraphs

/// The failure of a call: the error for the caller, and the one that handlers and mappers made it from.
///
/// What runs calls throws it, so that whatever depends on the original error has it; public functions throw its
/// ``error``.
package struct CallFailure: Error {
    package let error: any Error

    /// The error before handlers and mappers replaced it.
    package let original: any Error

    /// The call; `nil` if its request could not be built, or if it is a series of calls.
    let call: CallContext?

    init(_ error: any Error, original: any Error, of call: CallContext? = nil) {
        self.error = error
        self.original = original
        self.call = call
    }

    /// Creates the failure that an error is, or the one of an error that nothing replaced.
    package init(_ error: any Error) {
        self = error as? CallFailure ?? CallFailure(error, original: error)
    }

    /// The original error of this library; `nil` for an error of the user's own.
    var cause: RestClientError? { ErrorOrigin.first(RestClientError.self, behind: original) }

    /// The original error of this library, if an error of the user's own hides it.
    var hiddenCause: RestClientError? { error is RestClientError || error is CancellationError ? nil : cause }

    /// A Boolean value that is true if a request of the call was unsafe, and had an effect or may have had one.
    var mayHaveHadEffect: Bool { (original as? RestClientError)?.unsafeCount ?? 0 > 0 }

    /// The class of the original error, which decides which handler is called; `nil` for an error of the user's own.
    var failureClass: FailureClass? { error is CancellationError ? nil : cause?.failureClass }
}

extension RestClientError {
    /// Returns the error with the means to decode its body as the call would, for rules and observers that receive it
    /// before the call has ended.
    func readable(in call: CallContext) -> RestClientError {
        guard response != nil, reader == nil else {
            return self
        }
        var error = self
        error.parts.reader = call.policy.reader
        return error
    }
}
