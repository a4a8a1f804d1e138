// SPDX-License-Identifier: MIT

/// The failure of a request that several calls share, and that may have had an effect.
struct SharedFailure: Error {
    /// The error that the calls throw.
    let error: any Error
    let effect: SharedEffect
}
