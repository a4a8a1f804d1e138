// SPDX-License-Identifier: MIT

import NIOCore

/// Holds what follows a response with the status 101 until the handlers of frames are there: bytes, errors and the end.
///
/// A server may send its first messages, and close, together with the response.
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
    }

    /// A longer head is for the decoder to refuse.
    private static let headLimit = 64 << 10

    private var state = State.head
    private var buffer = ByteBuffer()
    /// The number of bytes in which a head has no end.
    private var scanned = 0
    private var error: (any Error)?
    private var isInactive = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state != .passing else {
            context.fireChannelRead(data)
            return
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
            }
            context.fireChannelRead(wrapInboundOut(head))
        }
        if state == .passing || state == .head && !mayBeHead {
            pass(context)
        }
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
        pass(context)
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
        let bytes = buffer.readableBytesView.dropFirst(max(0, scanned - 3))
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
            scanned = buffer.readableBytes
            return nil
        }
        scanned = 0
        return end.upperBound - buffer.readerIndex
    }

    /// True if the bytes so far may be the beginning of a head.
    private var mayBeHead: Bool {
        let start = Array("HTTP/1.".utf8)
        return buffer.readableBytes <= Self.headLimit
            && start.starts(with: buffer.readableBytesView.prefix(start.count))
    }
}
