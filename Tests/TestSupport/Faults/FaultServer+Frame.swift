// SPDX-License-Identifier: MIT

extension FaultServer {
    /// A frame of HTTP/2 (RFC 9113, section 4), which need not be valid.
    public struct Frame: Sendable, Hashable {
        /// The type, as in 0 for DATA and 1 for HEADERS.
        public let type: UInt8
        /// The flags, as in 1 for the end of the stream and 4 for the end of its header.
        public let flags: UInt8
        /// True if the frame is of the stream of the request, and not of the connection.
        public let isOfStream: Bool
        /// The payload.
        public let payload: [UInt8]

        /// Creates a frame.
        ///
        /// - Parameters:
        ///   - type: The type.
        ///   - flags: The flags.
        ///   - isOfStream: True if it is of the stream of the request, and not of the connection.
        ///   - payload: The payload; its length is that of the frame.
        public init(type: UInt8, flags: UInt8 = 0, isOfStream: Bool = true, payload: [UInt8] = []) {
            self.type = type
            self.flags = flags
            self.isOfStream = isOfStream
            self.payload = payload
        }

        /// Returns the bytes of the frame.
        ///
        /// - Parameter stream: The number of the stream of the request.
        /// - Returns: The bytes.
        func bytes(on stream: UInt32) -> [UInt8] {
            let length = UInt32(payload.count)
            let head: [UInt8] = [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            return head + Self.bytes(of: isOfStream ? stream : 0) + payload
        }

        /// Returns the bytes of a number.
        static func bytes(of number: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }
}

extension FaultServer.Frame {
    /// Returns the header of a response: status 200 unless the fields, in HPACK (RFC 7541), say another one.
    static func headers(_ fields: [UInt8] = [0x88], ends: Bool = false, isWhole: Bool = true) -> Self {
        Self(type: 1, flags: (isWhole ? 4 : 0) | (ends ? 1 : 0), payload: fields)
    }

    /// Returns the header of a response with status 200 and a length below 256.
    static func headers(length: Int) -> Self {
        let digits = Array(String(length).utf8)
        // A literal without indexing, whose name is entry 28 of the static table.
        return headers([0x88, 0x0F, 28 - 15, UInt8(digits.count)] + digits)
    }

    static func data(_ text: String, ends: Bool = false) -> Self {
        Self(type: 0, flags: ends ? 1 : 0, payload: Array(text.utf8))
    }

    static func reset(_ code: UInt32) -> Self {
        Self(type: 3, payload: bytes(of: code))
    }

    static func setting(_ name: UInt8, _ value: UInt32) -> Self {
        Self(type: 4, isOfStream: false, payload: [0, name] + bytes(of: value))
    }

    static func goAway(lastStream: UInt32, _ code: UInt32) -> Self {
        Self(type: 7, isOfStream: false, payload: bytes(of: lastStream) + bytes(of: code))
    }

    static func window(_ increment: UInt32, isOfStream: Bool = true) -> Self {
        Self(type: 8, isOfStream: isOfStream, payload: bytes(of: increment))
    }
}
