// SPDX-License-Identifier: MIT

import NIOCore
import NIOHPACK

/// A connection of a fault server over HTTP/2: it reads frames, and plays a fault or responds on each stream.
final class HTTP2FaultConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private struct Stream {
        var isBegun = false
        var header: [UInt8] = []
        var bodyCount = 0
        var hasEnded = false
        /// The fault that meets the request, once its header has arrived.
        var fault: FaultServer.Fault?
        var isPlaying = false
    }

    private static let prefaceLength = 24
    private static let good: [FaultServer.Frame] = [.headers(length: 4), .data("good", ends: true)]

    private let core: FaultCore
    private var input = ByteBuffer()
    private var hasPreface = false
    private var streams: [UInt32: Stream] = [:]
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())

    init(core: FaultCore) {
        self.core = core
    }

    func channelActive(context: ChannelHandlerContext) {
        core.opened(context.channel)
        context.fireChannelActive()
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
        if !hasPreface {
            guard input.readSlice(length: Self.prefaceLength) != nil else {
                return
            }
            hasPreface = true
            send([.setting(3, 100)], on: 0, context)
            if let fault = core.take(beforeRequest: true) {
                play(fault.steps[...], on: 0, context)
            }
        }
        while let (frame, stream) = nextFrame() {
            receive(frame, on: stream, context)
        }
        input.discardReadBytes()
    }

    // MARK: - Frames

    private func nextFrame() -> (FaultServer.Frame, UInt32)? {
        let start = input.readerIndex
        guard let high = input.getInteger(at: start, as: UInt8.self),
            let low = input.getInteger(at: start + 1, as: UInt16.self),
            let type = input.getInteger(at: start + 3, as: UInt8.self),
            let flags = input.getInteger(at: start + 4, as: UInt8.self),
            let stream = input.getInteger(at: start + 5, as: UInt32.self),
            let payload = input.getBytes(at: start + 9, length: Int(high) << 16 | Int(low))
        else {
            return nil
        }
        input.moveReaderIndex(forwardBy: 9 + payload.count)
        return (FaultServer.Frame(type: type, flags: flags, payload: payload), stream & 0x7FFF_FFFF)
    }

    private func receive(_ frame: FaultServer.Frame, on number: UInt32, _ context: ChannelHandlerContext) {
        switch frame.type {
        case 0:
            receiveData(frame, on: number, context)
        case 1, 9:
            var stream = streams[number] ?? Stream()
            stream.header += frame.type == 1 ? Self.withoutPadding(frame) : frame.payload
            stream.hasEnded = stream.hasEnded || frame.type == 1 && frame.flags & 1 != 0
            streams[number] = stream
            if frame.flags & 4 != 0 {
                begin(number)
                advance(number, context)
            }
        case 3:
            streams[number] = nil
        case 4 where frame.flags & 1 == 0:
            send([.init(type: 4, flags: 1, isOfStream: false)], on: 0, context)
        case 6 where frame.flags & 1 == 0:
            send([.init(type: 6, flags: 1, isOfStream: false, payload: frame.payload)], on: 0, context)
        default:
            break
        }
    }

    private func receiveData(_ frame: FaultServer.Frame, on number: UInt32, _ context: ChannelHandlerContext) {
        // The window of the connection is always renewed, for the streams besides.
        let count = UInt32(frame.payload.count)
        if count > 0 {
            send([.window(count, isOfStream: false)], on: number, context)
        }
        guard var stream = streams[number] else {
            return
        }
        stream.bodyCount += frame.payload.count
        stream.hasEnded = stream.hasEnded || frame.flags & 1 != 0
        streams[number] = stream
        advance(number, context)
        if count > 0, streams[number]?.isPlaying == false {
            send([.window(count)], on: number, context)
        }
    }

    /// Returns the payload of a header frame without padding and priority.
    private static func withoutPadding(_ frame: FaultServer.Frame) -> [UInt8] {
        var payload = frame.payload[...]
        if frame.flags & 8 != 0, let padding = payload.popFirst() {
            payload = payload.dropLast(Int(padding))
        }
        return Array(frame.flags & 0x20 != 0 ? payload.dropFirst(5) : payload)
    }

    private func send(_ frames: [FaultServer.Frame], on stream: UInt32, _ context: ChannelHandlerContext) {
        let bytes = frames.flatMap { $0.bytes(on: stream) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    // MARK: - Requests

    /// Takes the header of a request that has arrived.
    private func begin(_ number: UInt32) {
        guard var stream = streams[number], !stream.isBegun else {
            return
        }
        var block = ByteBuffer(bytes: stream.header)
        let fields = (try? decoder.decodeHeaders(from: &block)) ?? [:]
        let lines = fields.filter { !$0.name.hasPrefix(":") }.map { "\($0.name): \($0.value)" }
        let target = "\(fields.first(name: ":method") ?? "") \(fields.first(name: ":path") ?? "") HTTP/2"
        stream.isBegun = true
        stream.header = []
        stream.fault = core.meet(FaultServer.Request(head: ([target] + lines).joined(separator: "\r\n")))
        streams[number] = stream
    }

    private func advance(_ number: UInt32, _ context: ChannelHandlerContext) {
        guard let stream = streams[number], stream.isBegun, !stream.isPlaying else {
            return
        }
        if let fault = stream.fault {
            if fault.moment.hasCome(bodyCount: stream.bodyCount, isWhole: stream.hasEnded) {
                streams[number]?.isPlaying = true
                play(fault.steps[...], on: number, context)
            }
        } else if stream.hasEnded {
            send(Self.good, on: number, context)
            streams[number] = nil
        }
    }

    // MARK: - Faults

    private func play(
        _ steps: ArraySlice<FaultServer.Step>,
        on stream: UInt32,
        _ context: ChannelHandlerContext
    ) {
        guard let step = steps.first else {
            streams[stream] = nil
            return
        }
        let rest = steps.dropFirst()
        switch step {
        case .frame(let frame):
            send([frame], on: stream, context)
            play(rest, on: stream, context)
        case .send(let bytes):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            play(rest, on: stream, context)
        case .trickle(let bytes, let interval):
            guard let first = bytes.first else {
                return play(rest, on: stream, context)
            }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [first])), promise: nil)
            later(interval, [.trickle(Array(bytes.dropFirst()), every: interval)] + rest, on: stream, context)
        case .pause(let duration):
            later(duration, rest, on: stream, context)
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
        on stream: UInt32,
        _ context: ChannelHandlerContext
    ) {
        context.eventLoop.assumeIsolated()
            .scheduleTask(in: TimeAmount(delay)) {
                if context.channel.isActive {
                    self.play(steps, on: stream, context)
                }
            }
    }
}

extension FaultServer {
    /// Adds what speaks HTTP/2 to a connection.
    static func addHTTP2(to pipeline: ChannelPipeline.SynchronousOperations, _ core: FaultCore) throws {
        try pipeline.addHandler(HTTP2FaultConnection(core: core))
    }
}
