// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore
import NIOHTTP1

/// When a connection was ready, for the exchanges that waited for it.
///
/// AsyncHTTPClient does not reveal which connection an exchange uses. So an additional line in the response's head
/// passes the instant to the response. Its name is random in each process, so that no server can forge it.
struct ConnectionBirth {
    private static let name = "connected-\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"

    private let value: String

    init() {
        value = "\(NIODeadline.now().uptimeNanoseconds)"
    }

    func mark(_ head: inout HTTPResponseHead) {
        head.headers.add(name: Self.name, value: value)
    }

    /// Removes the instant from the lines of a head; costs one comparison if there is none.
    static func take(from lines: inout [ResponseHead.Line]) -> NIODeadline? {
        guard let last = lines.last, last.name == name else {
            return nil
        }
        lines.removeLast()
        return UInt64(last.value).map { .uptimeNanoseconds($0) }
    }
}

#endif
