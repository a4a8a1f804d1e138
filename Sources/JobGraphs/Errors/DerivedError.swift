// SPDX-License-Identifier: MIT

/// An error of your own that keeps the error from which it was derived.
///
/// The original error stays relevant: it decides about retries, and reports and failure classes show it.
///
/// ```swift
/// struct SignedOut: DerivedError { let original: any Error }
/// ```
public protocol DerivedError: Error {
    /// The error from which this one was derived.
    var original: any Error { get }
}

package enum ErrorOrigin {
    /// Returns the first error of a type among an error and its origins; `nil` if there is none.
    package static func first<Failure>(_ type: Failure.Type, behind error: any Error) -> Failure? {
        var error = error
        // Errors may be objects that form a cycle.
        for _ in 0..<16 {
            if let found = error as? Failure {
                return found
            }
            guard let derived = error as? any DerivedError else {
                return nil
            }
            error = derived.original
        }
        return nil
    }
}

/// A failure of a member to which its group does not react.
struct IgnoredFailure: DerivedError {
    let original: any Error
}
