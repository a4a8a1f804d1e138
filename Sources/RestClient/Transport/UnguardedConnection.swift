// SPDX-License-Identifier: MIT

/// The error of a connection on which responses cannot be guarded, because AsyncHTTPClient builds it in another way.
struct UnguardedConnection: Error {
    let underlying: any Error
}
