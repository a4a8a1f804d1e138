// SPDX-License-Identifier: MIT

import NIOCore

/// The error of a request on a kept connection that ended before anything of the response came.
///
/// Servers close connections that nobody uses, and a request may be on its way just then.
struct StaleConnection: Error {
    /// What the connection ended with; `nil` when it was closed in order.
    let underlying: (any Error)?

    /// How often one request is sent again at most: the next connection may have ended in the same moment.
    static let repetitionLimit = 3

    /// Whether a request may be sent again without the caller's knowing (RFC 9110, section 9.2.2).
    ///
    /// - Parameters:
    ///   - error: What the exchange failed with.
    ///   - isSent: Whether the head of the request was given to the connection; if not, the connection had ended before.
    ///   - isIdempotent: Whether sending the request twice does what sending it once does.
    /// - Returns: Whether it may.
    static func allowsRepetition(after error: any Error, isSent: Bool, isIdempotent: Bool) -> Bool {
        if !isSent, let error = error as? ChannelError, case .ioOnClosedChannel = error {
            return true
        }
        return isIdempotent && error is StaleConnection
    }
}
