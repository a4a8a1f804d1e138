// SPDX-License-Identifier: MIT

package import NIOCore
import RestEssentials

package enum SocketReset {
    /// Sets the linger time of a socket to zero, so that closing it sends RST instead of FIN.
    package static func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}
