// SPDX-License-Identifier: MIT

/// Wraps an error of a user's stream, which the transport would otherwise mistake for a network error.
struct BodySourceError: Error {
    let underlying: any Error

    /// Returns an error of the library unchanged, and any other one wrapped.
    static func wrapping(_ error: any Error) -> any Error {
        error is RestClientError || error is CancellationError ? error : BodySourceError(underlying: error)
    }
}
