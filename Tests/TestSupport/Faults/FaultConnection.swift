// SPDX-License-Identifier: MIT

import NIOCore

/// A connection of a fault server: it reads requests only as far as their extent, and plays a fault or responds.
final class FaultConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// No fault is under way; the request in the buffer, if any, has no response yet.
        case reading
        /// The head of a request has arrived, and a fault waits for more of it.
        case waiting(FaultServer.Fault)
        /// A fault is being played, and further requests wait.
        case playing
        /// The response is sent, and the rest of its request is discarded.
        case discarding
    }

    private static let good: StaticString =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ngood"

    private let core: FaultCore
    private var input = ByteBuffer()
    private var phase = Phase.reading
    /// A Boolean value that is true once the head of the request in the buffer has been handled.
    private var isCounted = false

    init(core: FaultCore) {
        self.core = core
    }

    func channelActive(context: ChannelHandlerContext) {
        core.opened(context.channel)
        if let fault = core.take(beforeRequest: true) {
            play(fault, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        core.closed(context.channel)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        advance(context)
    }

    // MARK: - Requests

    private func advance(_ context: ChannelHandlerContext) {
        while true {
            if case .playing = phase {
                return
            }
            guard let extent = RequestExtent(input.readableBytesView) else {
                return
            }
            if !isCounted {
                isCounted = true
                if let fault = core.meet(FaultServer.Request(head: extent.head)) {
                    phase = .waiting(fault)
                }
            }
            switch phase {
            case .playing:
                return
            case .waiting(let fault):
                guard fault.moment.hasCome(extent) else {
                    return
                }
                play(fault, context)
            case .reading:
                guard extent.end != nil else {
                    return
                }
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(staticString: Self.good)), promise: nil)
                phase = .discarding
            case .discarding:
                guard let end = extent.end else {
                    return
                }
                input.moveReaderIndex(forwardBy: end)
                input.discardReadBytes()
                isCounted = false
                phase = .reading
            }
        }
    }

    // MARK: - Faults

    private func play(_ fault: FaultServer.Fault, _ context: ChannelHandlerContext) {
        phase = .playing
        play(fault.steps[...], context)
    }

    private func play(_ steps: ArraySlice<FaultServer.Step>, _ context: ChannelHandlerContext) {
        guard let step = steps.first else {
            // A fault before the first request leaves the connection to it.
            phase = isCounted ? .discarding : .reading
            advance(context)
            return
        }
        let rest = steps.dropFirst()
        switch step {
        case .send(let bytes):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated()
                .whenSuccess {
                    self.play(rest, context)
                }
        case .frame(let frame):
            play([.send(frame.bytes(on: 1))] + rest, context)
        case .trickle(let bytes, let interval):
            guard let first = bytes.first else {
                play(rest, context)
                return
            }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [first])), promise: nil)
            later(interval, [.trickle(Array(bytes.dropFirst()), every: interval)] + rest, context)
        case .pause(let duration):
            later(duration, rest, context)
        case .stall:
            break
        case .close:
            context.close(promise: nil)
        case .cut:
            SocketEnd.cut(context)
        case .reset:
            SocketEnd.reset(context)
        }
    }

    private func later(
        _ delay: Duration,
        _ steps: ArraySlice<FaultServer.Step>,
        _ context: ChannelHandlerContext
    ) {
        context.eventLoop.assumeIsolated()
            .scheduleTask(in: TimeAmount(delay)) {
                if context.channel.isActive {
                    self.play(steps, context)
                }
            }
    }
}
