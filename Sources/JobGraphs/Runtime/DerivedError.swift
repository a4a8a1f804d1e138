// SPDX-License-Identifier: MIT

/// An error of your own that keeps the error it was made of.
///
/// The original error stays in force: it decides about retries, and reports and classes of failures show it.
///
/// ```swift
/// struct SignedOut: DerivedError { let original: any Error }
/// ```
public protocol DerivedError: Error {
    /// The error that this one was made of.
    var original: any Error { get }
}
