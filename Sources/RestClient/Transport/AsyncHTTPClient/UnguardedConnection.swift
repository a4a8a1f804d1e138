// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

/// The error of a connection whose responses cannot be guarded, because this version of AsyncHTTPClient builds it
/// differently.
struct UnguardedConnection: Error {
    let underlying: any Error
}

#endif
