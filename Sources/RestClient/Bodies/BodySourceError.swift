// SPDX-License-Identifier: MIT

/// Carries an error of a user's stream past the transport, which would otherwise take it for one of the network.
struct BodySourceError: Error {
    let underlying: any Error

    /// Returns an error of the library as it is, and any other one wrapped.
    static func wrapping(_ error: any Error) -> any Error {
        error is RestClientError || error is CancellationError ? error : BodySourceError(underlying: error)
    }
}
