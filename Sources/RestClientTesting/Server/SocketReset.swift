// SPDX-License-Identifier: MIT
package import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Makes sockets end with a reset.
package enum SocketReset {
    /// Leaves a socket no time to linger, so that closing it sends RST in place of FIN.
    package static func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}
