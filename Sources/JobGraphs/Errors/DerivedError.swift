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
