// SPDX-License-Identifier: MIT

/// The error of a connection whose responses cannot be guarded, because this version of AsyncHTTPClient builds it
/// differently.
///
/// Nothing was sent over the connection, and no part of a streamed body was read for it.
struct UnguardedConnection: Error {
    enum Version: String {
        case http1 = "HTTP/1.1"
        case http2 = "HTTP/2"
    }

    let version: Version
    let underlying: any Error
}
