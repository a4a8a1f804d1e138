// SPDX-License-Identifier: MIT

import NIOCore

/// Cuts the bytes of a connection into frames, and checks what a frame alone must hold: no lock, clock or I/O.
struct HTTP2FrameReader {
    /// The longest payload that this client allows: the least that it could (RFC 9113, section 4.2).
    static let maximumSize = 16_384

    private var bytes = ByteBuffer()

    /// Adds bytes that came.
    mutating func append(_ more: ByteBuffer) {
        if bytes.readableBytes == 0 {
            bytes = more
        } else {
            // What was read already is left behind: its bytes belong to those who got them.
            var joined = ByteBuffer()
            joined.reserveCapacity(bytes.readableBytes + more.readableBytes)
            joined.writeImmutableBuffer(bytes)
            joined.writeImmutableBuffer(more)
            bytes = joined
        }
    }

    /// Returns the next frame that has come completely; `nil` if there is none.
    ///
    /// - Throws: The rule that it breaks.
    mutating func next() throws(HTTP2Defect) -> HTTP2Frame? {
        guard bytes.readableBytes >= HTTP2Frame.headSize,
            let (high, low, kind, flags, stream) = bytes.getMultipleIntegers(
                at: bytes.readerIndex,
                as: (UInt8, UInt16, UInt8, UInt8, UInt32).self
            )
        else {
            return nil
        }
        let size = Int(high) << 16 | Int(low)
        guard size <= Self.maximumSize else {
            throw .frameSize
        }
        guard bytes.readableBytes >= HTTP2Frame.headSize + size else {
            return nil
        }
        bytes.moveReaderIndex(forwardBy: HTTP2Frame.headSize)
        guard let payload = bytes.readSlice(length: size) else {
            return nil
        }
        if bytes.readableBytes == 0 {
            bytes = ByteBuffer()
        }
        // The highest bit is reserved, and ignored.
        return try Self.frame(kind, HTTP2Frame.Flags(rawValue: flags), Int(stream & 0x7FFF_FFFF), payload)
    }

    private static func frame(
        _ number: UInt8,
        _ flags: HTTP2Frame.Flags,
        _ stream: Int,
        _ content: ByteBuffer
    ) throws(HTTP2Defect) -> HTTP2Frame {
        guard let kind = HTTP2Frame.Kind(rawValue: number) else {
            return .ignored
        }
        var payload = content
        let size = payload.readableBytes
        switch kind {
        case .data, .headers, .priority, .reset, .continuation:
            try demand(stream != 0, .streamIdentifier)
        case .settings, .ping, .goAway:
            try demand(stream == 0, .streamIdentifier)
        case .pushPromise:
            throw .push
        case .windowUpdate:
            break
        }
        switch kind {
        case .data:
            try removePadding(flags, &payload)
            return .data(stream: stream, payload, size: size, endsStream: flags.contains(.endsStream))
        case .headers:
            try removePadding(flags, &payload)
            if flags.contains(.hasPriority) {
                try demand(payload.readableBytes >= 5, .frameSize)
                payload.moveReaderIndex(forwardBy: 5)
            }
            let (endsBlock, endsStream) = (flags.contains(.endsBlock), flags.contains(.endsStream))
            return .headers(stream: stream, payload, endsBlock: endsBlock, endsStream: endsStream)
        case .continuation:
            return .continuation(stream: stream, payload, endsBlock: flags.contains(.endsBlock))
        case .priority:
            try demand(size == 5, .frameSize)
            return .ignored
        case .reset:
            let code: UInt32 = try integer(&payload, size: 4)
            return .reset(stream: stream, HTTP2Reason(rawValue: code))
        case .settings:
            return try settings(flags, payload)
        case .ping:
            let data: UInt64 = try integer(&payload, size: 8)
            return .ping(data, isReply: flags.contains(.acknowledges))
        case .goAway:
            guard let (last, code) = payload.readMultipleIntegers(as: (UInt32, UInt32).self) else {
                throw .frameSize
            }
            return .goAway(lastStream: Int(last & 0x7FFF_FFFF), HTTP2Reason(rawValue: code))
        case .windowUpdate:
            let increment: UInt32 = try integer(&payload, size: 4)
            return .windowUpdate(stream: stream, increment: Int(increment & 0x7FFF_FFFF))
        case .pushPromise:
            throw .push
        }
    }

    private static func settings(
        _ flags: HTTP2Frame.Flags,
        _ content: ByteBuffer
    ) throws(HTTP2Defect) -> HTTP2Frame {
        var payload = content
        if flags.contains(.acknowledges) {
            try demand(payload.readableBytes == 0, .frameSize)
            return .settingsAcknowledged
        }
        try demand(payload.readableBytes % 6 == 0, .frameSize)
        var settings: [(setting: HTTP2Setting, value: Int)] = []
        while let (name, value) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) {
            settings.append((HTTP2Setting(rawValue: name), Int(value)))
        }
        return .settings(settings)
    }

    private static func demand(_ condition: Bool, _ defect: HTTP2Defect) throws(HTTP2Defect) {
        guard condition else {
            throw defect
        }
    }

    private static func integer<Integer: FixedWidthInteger>(
        _ payload: inout ByteBuffer,
        size: Int
    ) throws(HTTP2Defect) -> Integer {
        guard payload.readableBytes == size, let integer = payload.readInteger(as: Integer.self) else {
            throw .frameSize
        }
        return integer
    }

    private static func removePadding(
        _ flags: HTTP2Frame.Flags,
        _ payload: inout ByteBuffer
    ) throws(HTTP2Defect) {
        guard flags.contains(.isPadded) else {
            return
        }
        guard let count = payload.readInteger(as: UInt8.self) else {
            throw .frameSize
        }
        guard let rest = payload.readSlice(length: max(0, payload.readableBytes - Int(count))),
            payload.readableBytes == Int(count)
        else {
            throw .padding
        }
        payload = rest
    }
}
