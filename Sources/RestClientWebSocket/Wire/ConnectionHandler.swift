// SPDX-License-Identifier: MIT

import NIOCore
import NIOWebSocket
import RestClient

/// Performs on a channel what the state machine says: the only place that knows NIO's frames.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = Command
    typealias OutboundOut = WebSocketFrame

    enum Command: Sendable {
        case send(WebSocketMessage)
        case ping(ByteBuffer)
        case close(WebSocketCloseCode, reason: String)
        /// The consumer has gone.
        case abandon
        /// The consumer has made room.
        case resume
        /// The server is silent.
        case fail(RestClientError)
    }

    private let inbox: Inbox
    private let pongs: PongTable
    private let fragmentSize: Int?
    private let translate: @Sendable (any Error) -> any Error
    private let ended: @Sendable (WebSocketClosure, (any Error)?) -> Void
    private var machine: WebSocketStateMachine
    private var isHeld = false
    /// True from the first frame of a read to the end of the read.
    private var hasReadFrame = false
    /// The payload of a ping that came while the pong to another one is being written: only the latest needs one.
    private var latestPing: ByteBuffer?
    private var isWritingPong = false

    init(
        _ machine: WebSocketStateMachine,
        inbox: Inbox,
        pongs: PongTable,
        fragmentSize: Int?,
        translate: @escaping @Sendable (any Error) -> any Error,
        ended: @escaping @Sendable (WebSocketClosure, (any Error)?) -> Void
    ) {
        self.machine = machine
        self.inbox = inbox
        self.pongs = pongs
        self.fragmentSize = fragmentSize
        self.translate = translate
        self.ended = ended
    }

    // MARK: - From the server

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A consumer may look as soon as it has the message.
        pongs.hear()
        hasReadFrame = true
        let frame = unwrapInboundIn(data)
        var wire = WireFrame(UInt8(webSocketOpcode: frame.opcode), frame.data, isFinal: frame.fin)
        wire.isCompressed = frame.rsv1
        wire.hasReservedBits = frame.rsv2 || frame.rsv3
        wire.isMasked = frame.maskKey != nil
        perform(machine.receive(wire), context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !hasReadFrame {
            // A part of a frame came. Behind a frame, a ping may have been sent already, and this read is older.
            pongs.hear()
        }
        hasReadFrame = false
        if !isHeld, !machine.isClosed {
            context.read()
        }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength:
            perform(machine.violate(.tooLarge("a frame that is longer than messages may be")), context)
        case NIOWebSocketError.fragmentedControlFrame:
            perform(machine.violate(.protocolError("a control frame is fragmented")), context)
        case NIOWebSocketError.multiByteControlFrameLength:
            perform(machine.violate(.protocolError("a control frame has more than 125 bytes")), context)
        default:
            cut(translate(error), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        cut(RestClientError(.connectionClosed, "the server cut the WebSocket without closing it"), context)
        context.fireChannelInactive()
    }

    private func cut(_ error: any Error, _ context: ChannelHandlerContext) {
        if machine.cut() {
            ended(WebSocketClosure(.abnormal, isByServer: true), error)
        }
        context.close(promise: nil)
    }

    private func perform(_ action: WebSocketStateMachine.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .none:
            break
        case .deliver(let message):
            isHeld = !inbox.receive(message) || isHeld
        case .write(let frame):
            pong(frame.payload, context)
        case .ponged(let payload):
            pongs.receive(payload)
        case .finish(let frame, let closure):
            if let frame {
                context.write(masked(frame), promise: nil)
            }
            context.flush()
            ended(closure, closure.error)
            context.close(promise: nil)
        case .fail(let frame, let violation):
            context.writeAndFlush(masked(frame), promise: nil)
            ended(WebSocketClosure(violation.code, reason: violation.reason, isByServer: false), violation.error)
            context.close(promise: nil)
        }
    }

    /// Responds to a ping; to the latest one, if several come while a response is being written.
    private func pong(_ payload: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !isWritingPong else {
            latestPing = payload
            return
        }
        isWritingPong = true
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (handler, context) = bound.value
            handler.isWritingPong = false
            if let latest = handler.latestPing.take(), handler.machine.isOpen {
                handler.pong(latest, context)
            }
        }
        context.writeAndFlush(masked(WireFrame(WireFrame.Opcode.pong, payload)), promise: promise)
    }

    // MARK: - From the program

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .send(let message):
            let frames = machine.send(message, fragmentSize: fragmentSize)
            guard let last = frames.last else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            for frame in frames.dropLast() {
                context.write(masked(frame), promise: nil)
            }
            context.write(masked(last), promise: promise)
        case .ping(let payload):
            guard machine.isOpen else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            context.write(masked(WireFrame(WireFrame.Opcode.ping, payload)), promise: promise)
        case .close(let code, let reason):
            if let frame = machine.close(code, reason: reason) {
                context.write(masked(frame), promise: nil)
            }
            resume(context)
            promise?.succeed()
        case .resume:
            resume(context)
            promise?.succeed()
        case .abandon:
            abandon(WebSocketClosure(.goingAway, isByServer: false), CancellationError(), context)
            promise?.succeed()
        case .fail(let error):
            // Bytes may have come meanwhile.
            if !isHeld, !pongs.hasHeard {
                abandon(WebSocketClosure(.abnormal, isByServer: false), error, context)
            }
            promise?.succeed()
        }
    }

    /// Reads again, if the consumer has made room or messages are not delivered any more.
    private func resume(_ context: ChannelHandlerContext) {
        if isHeld, !inbox.isHeld || !machine.isOpen {
            isHeld = false
            // Nothing could be heard until now.
            pongs.hear()
            context.read()
        }
    }

    private func abandon(_ closure: WebSocketClosure, _ error: any Error, _ context: ChannelHandlerContext) {
        guard !machine.isClosed else {
            return
        }
        if let frame = machine.abandon() {
            context.writeAndFlush(masked(frame), promise: nil)
        }
        ended(closure, error)
        context.close(promise: nil)
    }

    /// Returns a frame for the wire; those of a client are masked, each with a new key.
    private func masked(_ frame: WireFrame) -> NIOAny {
        wrapOutboundOut(
            WebSocketFrame(
                fin: frame.isFinal,
                rsv1: frame.isCompressed,
                opcode: WebSocketOpcode(encodedWebSocketOpcode: frame.opcode) ?? .binary,
                maskKey: .random(),
                data: frame.payload
            )
        )
    }
}
