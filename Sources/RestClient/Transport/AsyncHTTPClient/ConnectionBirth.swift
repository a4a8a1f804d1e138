// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore
import NIOHTTP1

/// Records when a connection was ready, for the exchanges that waited for it.
///
/// AsyncHTTPClient does not reveal which connection an exchange uses. So an additional line in the response's head
/// passes the instant to the collector. Its name is random in each process, so that no server can forge it.
final class ConnectionBirth: ChannelInboundHandler {
    typealias InboundIn = Any

    private static let name = "connected-\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"

    let instant = NIODeadline.now()

    /// Adds the handler to a connection whose streams need the instant later.
    static func note(on channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(ConnectionBirth(), position: .first)
    }

    /// Returns when the connection of a stream was ready; `nil` if it is unknown.
    static func instant(ofConnectionWith stream: any Channel) -> NIODeadline? {
        try? stream.parent?.pipeline.syncOperations.handler(type: ConnectionBirth.self).instant
    }

    /// Adds an instant after the lines of a head.
    static func mark(_ head: inout HTTPResponseHead, with instant: NIODeadline) {
        head.headers.add(name: name, value: "\(instant.uptimeNanoseconds)")
    }

    /// Removes the instant from a head; costs one comparison if there is none.
    static func take(from head: inout HTTPResponseHead) -> NIODeadline? {
        guard let last = head.headers.last, last.name == name else {
            return nil
        }
        head.headers.remove(name: name)
        return UInt64(last.value).map { .uptimeNanoseconds($0) }
    }
}

#endif
