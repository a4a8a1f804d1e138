// SPDX-License-Identifier: MIT

extension FaultServer {
    /// The time at which a fault begins.
    public enum Moment: Sendable, Hashable {
        /// When the connection is made, before anything is read.
        ///
        /// Over TLS, an end of the connection prevents the handshake, and bytes are sent after it. Over HTTP/2, the
        /// client's preface has arrived.
        case accepted
        /// When the head of the request has arrived.
        case head
        /// When that many bytes of the request's body have arrived, or all of it.
        case body(bytes: Int)
        /// When the whole request has arrived.
        case request

        func hasCome(_ extent: RequestExtent) -> Bool {
            hasCome(bodyCount: extent.bodyCount, isWhole: extent.end != nil)
        }

        func hasCome(bodyCount: Int, isWhole: Bool) -> Bool {
            switch self {
            case .accepted, .head: true
            case .body(let bytes): isWhole || bodyCount >= bytes
            case .request: isWhole
            }
        }
    }

    /// A step of a fault.
    public enum Step: Sendable, Hashable {
        /// Sends bytes at once.
        case send([UInt8])
        /// Sends a frame of HTTP/2.
        case frame(Frame)
        /// Sends bytes one by one.
        case trickle([UInt8], every: Duration)
        /// Sends nothing for a time.
        case pause(Duration)
        /// Sends nothing more, and leaves the connection open.
        case stall
        /// Closes the connection; TLS is closed first, if there is any.
        case close
        /// Closes the socket, but not TLS: there is no `close_notify`.
        case cut
        /// Resets the connection.
        case reset

        /// Sends text at once.
        ///
        /// - Parameter text: The text, with `\r\n` as HTTP ends its lines.
        /// - Returns: The step.
        public static func send(_ text: String) -> Step {
            .send(Array(text.utf8))
        }
    }

    /// A fault: what a server does instead of responding.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The name of the fault.
        public let name: String
        /// The time at which it begins.
        public let moment: Moment
        /// Its steps; after the last one, the connection serves further requests.
        ///
        /// Over HTTP/2 they concern the stream of the request, and other streams are served meanwhile.
        public let steps: [Step]

        /// Creates a fault.
        ///
        /// - Parameters:
        ///   - name: Its name.
        ///   - moment: The time at which it begins.
        ///   - steps: Its steps; after the last one, the connection serves further requests.
        public init(_ name: String, at moment: Moment = .request, _ steps: [Step]) {
            self.name = name
            self.moment = moment
            self.steps = steps
        }

        /// The name.
        public var description: String { name }
    }
}
