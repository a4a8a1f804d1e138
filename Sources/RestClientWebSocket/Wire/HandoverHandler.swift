// SPDX-License-Identifier: MIT

import NIOCore
import RestClient

/// Holds what follows a response with the status 101 until the handlers of frames are there: bytes, errors and the end.
///
/// A server may send its first messages, and close, together with the response. Heads have the limits of all calls.
final class HandoverHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        /// Collects the head of a response.
        case head
        /// Passes everything on.
        case passing
        /// Keeps everything.
        case holding
        /// Drops everything, because a head was over a limit.
        case refused
    }

    private let interimLimit: Int
    private var interimCount = 0
    /// The number of bytes in which no head ends.
    private var searched = 0
    private var state = State.head
    private var buffer = ByteBuffer()
    private var error: (any Error)?
    private var isInactive = false

    /// Creates a handler for the response to a request.
    ///
    /// - Parameter interimLimit: The number of interim responses that may precede the response.
    init(interimLimit: Int = DirectTransport.Configuration().interimResponseLimit) {
        self.interimLimit = interimLimit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .passing:
            context.fireChannelRead(data)
            return
        case .refused:
            return
        case .head, .holding:
            break
        }
        var bytes = unwrapInboundIn(data)
        buffer.writeBuffer(&bytes)
        while state == .head, let length = headLength {
            guard let head = buffer.readSlice(length: length) else {
                return
            }
            let status = head.getString(at: head.readerIndex + 9, length: 3) ?? ""
            if status == "101" {
                state = .holding
            } else if !status.hasPrefix("1") {
                state = .passing
            } else {
                interimCount += 1
            }
            // The lines but the first one and the empty one.
            let fields = head.readableBytesView.count { $0 == UInt8(ascii: "\n") } - 2
            let isOver = TransportFailure.headOverLimit(
                bytes: length,
                fields: fields,
                interim: interimCount,
                of: interimLimit
            )
            if let isOver {
                refuse(isOver, context)
                return
            }
            context.fireChannelRead(wrapInboundOut(head))
        }
        if state == .passing || state == .head && !mayBeHead {
            pass(context)
        } else if state == .head, let error = TransportFailure.headOverLimit(bytes: buffer.readableBytes) {
            refuse(error, context)
        }
    }

    /// Fails the handshake, and reads no more.
    private func refuse(_ error: any Error, _ context: ChannelHandlerContext) {
        state = .refused
        buffer = ByteBuffer()
        context.fireErrorCaught(error)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if state == .holding {
            self.error = self.error ?? error
        } else {
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard state != .holding else {
            isInactive = true
            return
        }
        if state != .refused {
            pass(context)
        }
        context.fireChannelInactive()
    }

    /// Passes on what was held, to the handlers that are there now.
    func release(_ context: ChannelHandlerContext) {
        pass(context)
        // Also asks for the first read.
        context.fireChannelReadComplete()
        if let error {
            context.fireErrorCaught(error)
        }
        if isInactive {
            context.fireChannelInactive()
        }
    }

    private func pass(_ context: ChannelHandlerContext) {
        state = .passing
        if buffer.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(buffer))
        }
        buffer = ByteBuffer()
    }

    /// The length of a head with its empty line; `nil` if that has not come.
    private var headLength: Int? {
        let bytes = buffer.readableBytesView
        let lineFeed = UInt8(ascii: "\n")
        // An end may have come in pieces.
        var place = bytes.startIndex + max(3, searched)
        while place < bytes.endIndex, let end = bytes[place...].firstIndex(of: lineFeed) {
            if bytes[(end - 3)...end].elementsEqual("\r\n\r\n".utf8) {
                searched = 0
                return end + 1 - bytes.startIndex
            }
            place = end + 1
        }
        searched = bytes.count
        return nil
    }

    /// True if the bytes so far may be the beginning of a head.
    private var mayBeHead: Bool {
        let start = Array("HTTP/1.".utf8)
        return start.starts(with: buffer.readableBytesView.prefix(start.count))
    }
}
